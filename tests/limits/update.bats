#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# update changes limits while the container runs, and says what it cannot.
load lib

setup() {
	harness_setup
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
