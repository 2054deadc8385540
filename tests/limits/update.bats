#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# update changes limits while the container runs, and refuses what it cannot change.
load lib

setup() {
	harness_setup
	from_nice_0
	ours || skip "the words are this runtime's"
}

with_limits() {
	loaded "$1" ".linux.resources.memory = {limit: 67108864} | .linux.resources.pids = {limit: 20}"
}

@test "the limit of processes, up, down and away" {
	with_limits 'exec load tasks fork 100'
	eventually 5 has "$T/$ID.out" 19
	rt update --pids-limit 30 "$ID"
	ok
	is "$(stat_of .pids.limit)" 30
	rt update --pids-limit -1 "$ID"
	ok
	is "$(stat_of .pids.limit)" null
	echo '{"pids": {"limit": 25}}' >"$T/r.json"
	STDIN=$T/r.json rt update -r - "$ID"
	ok
	is "$(stat_of .pids.limit)" 25
}

@test "a raised limit of processes is used, a lowered one holds" {
	with_limits 'sleep 100'
	forks='i=0; while [ $i -lt 20 ]; do sleep 1 & i=$((i+1)); done; echo made'
	rt exec "$ID" sh -c "$forks"
	[ "$rc" -ne 0 ]
	has "$T/err" 'temporarily unavailable'
	rt update --pids-limit 60 "$ID"
	sleep 1.1
	rt exec "$ID" sh -c "$forks"
	ok
	out_is made
	rt update --pids-limit 10 "$ID"
	rt exec "$ID" sh -c "$forks"
	[ "$rc" -ne 0 ]
}

@test "the limit of memory: a raised one is used, a lowered one is enforced at once" {
	with_limits 'load hold anon 50; sleep 100'
	eventually 5 has "$T/$ID.out" held
	rt update --memory 40M "$ID"
	ok
	is "$(stat_of .memory.usage.limit)" 41943040
	eventually 5 test -e "$T/$ID/oom"
	rt update --memory 200M "$ID"
	ok
	rt exec "$ID" timeout 1 load hold anon 100
	has "$T/out" held
}

allowed='sed -n s/Cpus_allowed_list:.//p /proc/self/status'

@test "processors: of what runs and what comes, and the workload does not get others" {
	[ "$(nproc --all)" -ge 2 ]
	loaded "sleep 1000 & echo \$!; wait" '.linux.resources.cpu = {cpus: "0"}'
	rt update --cpuset-cpus 1 "$ID"
	ok
	rt exec "$ID" sh -c "$allowed; grep -h Cpus_allowed_list: /proc/[0-9]*/status | sort -u | sed 's/.*:.//'"
	out_is "$(printf '1\n1')"
	rt exec "$ID" taskset 1 true
	[ "$rc" -ne 0 ]
	rt exec "$ID" sh -c 'cat /sys/devices/system/cpu/online; grep ^processor /proc/cpuinfo'
	is "$(sed 's/ *$//' "$T/out")" "$(printf '1\nprocessor\t: 1')"
	rt update --cpuset-cpus 0-1 "$ID"
	rt exec "$ID" sh -c "$allowed"
	out_is 0-1
}

@test "a quota: given, changed and taken away, also where there was none" {
	for cpu in '{}' '{quota: 90000}'; do
		loaded 'exec load spin 1000000' ".linux.resources.cpu = $cpu"
		rt update --cpu-quota 10000 --cpu-period 100000 "$ID"
		ok
		sleep 1
		[ "$(stat_of '.cpu.throttling.throttledPeriods')" -gt 1 ]
		rt update --cpu-quota -1 "$ID"
		ok
		sleep 0.3
		before=$(stat_of '.cpu.throttling.throttledPeriods')
		sleep 1
		is "$(stat_of '.cpu.throttling.throttledPeriods')" "$before"
		rt delete --force "$ID"
	done
}

@test "shares and idle: of every thread that runs" {
	loaded 'sleep 1000 & echo begun; wait' '.linux.resources.cpu = {shares: 512}'
	eventually 5 has "$T/$ID.out" begun
	rt update --cpu-share 102 "$ID"
	ok
	rt exec "$ID" sh -c 'cat /proc/[0-9]*/stat | sed "s/.*) //" | cut -d" " -f17 | sort -u'
	out_is 10
	rt update --cpu-idle 1 "$ID"
	ok
	rt exec "$ID" sh -c 'cat /proc/[0-9]*/stat | sed "s/.*) //" | cut -d" " -f39 | sort -u'
	out_is 5
}

@test "processors of a container that was made without some are refused by name" {
	started 'sleep 100'
	rt update --cpuset-cpus 0 "$ID"
	fails linux.resources.cpu.cpus
	rt update --cpu-quota 5 "$ID"
	fails linux.resources.cpu.quota
}

@test "a limit that the container was not made with is refused by name, no limit is not" {
	started 'sleep 100'
	rt update --memory 64M "$ID"
	fails 'linux.resources.memory.limit: the container was made without this limit'
	rt update --pids-limit 5 "$ID"
	fails 'linux.resources.pids.limit: the container was made without this limit'
	rt update --memory -1 --pids-limit -1 "$ID"
	ok
}

@test "an update never goes beyond the annotation" {
	loaded 'sleep 100' '.annotations["io.sandlock.limits.processes"] = "10"'
	rt update --pids-limit 100 "$ID"
	ok
	is "$(stat_of .pids.limit)" 10
	rt update --pids-limit 5 "$ID"
	is "$(stat_of .pids.limit)" 5
}

@test "malformed values are refused and change nothing" {
	with_limits 'sleep 100'
	for bad in "--memory 1x" "--memory M" "--memory 1MM" "--memory 99999999999G" "--pids-limit many" "--pids-limit 1.5"; do
		rt update $bad "$ID"
		fails 'invalid value'
	done
	for good in 64m 64M 64MB 64MiB 65536k 67108864 67108864b; do
		rt update --memory $good "$ID"
		ok
		is "$(stat_of .memory.usage.limit)" 67108864
	done
	is "$(stat_of .pids.limit)" 20
}

@test "a limit that each process has for good, in the mode deny, is refused by name" {
	loaded 'sleep 100' '.linux.resources.memory = {limit: 67108864} | .annotations["io.sandlock.limits.memory_mode"] = "deny"'
	for limit in 128M 32M -1; do
		rt update --memory "$limit" "$ID"
		fails 'linux.resources.memory.limit: in io.sandlock.limits.memory_mode "deny" each process has its limit for good'
	done
	is "$(stat_of .memory.usage.limit)" 67108864
	rt exec "$ID" load hold anon 100
	has "$T/out" ENOMEM
}
