#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# /proc and /sys show the container's size: programs get the same number of processors and the same
# amount of memory, whichever way they ask.
load lib

setup() {
	harness_setup
	ours || skip "runc's container sees the machine"
	[ "$(nproc --all)" -ge 2 ]
}

# As the programs count: the C library, top and free, Go and the JVM, who reads cgroups.
COUNT='grep -c ^processor /proc/cpuinfo; grep -c "^cpu[0-9]" /proc/stat; nproc
	cat /sys/devices/system/cpu/online /sys/devices/system/cpu/possible /sys/devices/system/cpu/present
	sed -n "s/Cpus_allowed_list:.//p" /proc/self/status'

counts() {
	sh_in "$COUNT" "$1"
	ok
}

with_cgroup='.mounts += [{destination: "/sys/fs/cgroup", type: "cgroup", source: "cgroup"}]'

@test "processors: every file and call names the same ones" {
	counts '.linux.resources.cpu = {cpus: "1"}'
	out_is "$(printf '1\n1\n1\n1\n1\n1\n1')"
	sh_in 'cat /sys/fs/cgroup/cpuset.cpus.effective' \
		".linux.resources.cpu = {cpus: \"1\"} | $with_cgroup"
	out_is 1
}

@test "a quota and the annotation count as processors too" {
	for limit in '.linux.resources.cpu = {quota: 50000}' \
		'.annotations["io.sandlock.proc.cpus"] = "1"' \
		'.linux.resources.cpu = {quota: 150000} | .annotations["io.sandlock.proc.cpus"] = "1"'; do
		counts "$limit"
		is "$(head -n 3 "$T/out")" "$(printf '1\n1\n1')"
		is "$(tail -n 4 "$T/out" | sort -u | wc -l)" 1
	done
}

@test "the line of all processors is the sum of the shown ones" {
	sh_in 'sed -n "s/^cpu1 *//p" /proc/stat; sed -n "s/^cpu  *//p" /proc/stat' \
		'.linux.resources.cpu = {cpus: "1"}'
	is "$(sed -n 1p "$T/out")" "$(sed -n 2p "$T/out")"
}

@test "memory: the limit is all there is" {
	sh_in 'sed -n "s/^MemTotal: *//p; s/^SwapTotal: *//p" /proc/meminfo; cat /sys/fs/cgroup/memory.max' \
		".linux.resources.memory = {limit: 104857600} | $with_cgroup"
	out_is "$(printf '102400 kB\n0 kB\n104857600')"
}

@test "sysinfo(2) agrees, and without a limit it is the kernel's own" {
	sh_in 'busybox free -b | sed -n "s/^Mem: *\([0-9]*\).*/\1/p; s/^Swap: *\([0-9]*\).*/swap \1/p"' \
		".linux.resources.memory = {limit: 104857600}"
	out_is "$(printf '104857600\nswap 0')"
	loaded 'sleep 100' ".linux.resources.memory = {limit: 104857600}"
	rt exec "$ID" busybox uptime
	ok
	is "$(stat_of .sandlock.notifications.sysinfo)" 1
	rt update --memory 64M "$ID"
	rt exec "$ID" sh -c 'busybox free -b | sed -n "s/^Mem: *\([0-9]*\).*/\1/p"'
	out_is 67108864
	loaded 'sleep 100' '.linux.resources.memory = {limit: 104857600} | .annotations["io.sandlock.proc.virtual"] = "false"'
	rt exec "$ID" busybox free
	is "$(stat_of .sandlock.notifications.sysinfo)" null
}

@test "the cgroup directory tells of the annotations' limits too" {
	sh_in 'sed -n "s/^MemTotal: *//p" /proc/meminfo; cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/pids.max' \
		".annotations[\"io.sandlock.limits.memory\"] = \"64M\" |
		.annotations[\"io.sandlock.limits.processes\"] = \"33\" | $with_cgroup"
	out_is "$(printf '65536 kB\n67108864\n33')"
}

# of_cgroup FILE: what the container $ID reads there.
of_cgroup() {
	rt exec "$ID" cat "/sys/fs/cgroup/$1"
	ok
	sed 's/ *$//' "$T/out"
}

holds_most() {
	[ "$(of_cgroup memory.current)" -gt 41943040 ] && [ "$(of_cgroup pids.current)" -ge 3 ]
}

holds_little() {
	[ "$(of_cgroup memory.current)" -lt 20000000 ] && [ "$(of_cgroup pids.current)" -le 3 ]
}

@test "the cgroup directory follows what the container uses, whichever limit it has" {
	for limit in 'memory: {limit: 104857600}' 'pids: {limit: 50}' 'cpu: {cpus: "0-1"}'; do
		loaded 'load hold anon 40 & while :; do sleep 0.1; done' ".linux.resources = {$limit} | $with_cgroup"
		eventually 20 holds_most
		is "$(of_cgroup memory.max)" "$(jq -r '.linux.resources.memory.limit // "max"' "$T/$ID/config.json")"
		is "$(of_cgroup pids.max)" "$(jq -r '.linux.resources.pids.limit // "max"' "$T/$ID/config.json")"
		rt exec "$ID" sh -c 'kill $(busybox pidof load)'
		eventually 20 holds_little
		rt delete --force "$ID"
	done
}

@test "the cgroup directory tells of an update at once" {
	loaded 'sleep 100' ".linux.resources = {memory: {limit: 104857600}, pids: {limit: 50}, cpu: {quota: 150000}} | $with_cgroup"
	rt update --memory 64M --pids-limit 40 --cpu-quota 50000 --cpu-period 50000 "$ID"
	ok
	is "$(of_cgroup memory.max)" 67108864
	is "$(of_cgroup pids.max)" 40
	is "$(of_cgroup cpu.max)" '50000 50000'
	rt update --memory -1 --pids-limit -1 --cpu-quota -1 "$ID"
	ok
	is "$(of_cgroup memory.max) $(of_cgroup pids.max) $(of_cgroup cpu.max)" 'max max max 50000'
}

@test "what is held is not free any more" {
	loaded 'load hold anon 40 & sleep 6; sed -n "s/^MemFree: *\([0-9]*\) kB/\1/p" /proc/meminfo; wait' \
		'.linux.resources.memory = {limit: 104857600}'
	eventually 15 grep -q '^[0-9]' "$T/$ID.out"
	between 30000 "$(grep '^[0-9]' "$T/$ID.out")" 62000
}

@test "the load is the container's, and follows it" {
	loaded 'cat /proc/loadavg; load spin 4500; cat /proc/loadavg; sleep 100' \
		'.linux.resources.cpu = {cpus: "1"}'
	lines() { [ "$(wc -l <"$T/$ID.out")" -ge 2 ]; }
	eventually 30 lines
	is "$(sed -n '1s/ .*//p' "$T/$ID.out")" 0.00
	[ "$(sed -n '2s/ .*//p' "$T/$ID.out")" != 0.00 ]
	[ "$(sed -n '2s/ .*//p' "$T/$ID.out" | cut -d. -f1)" -le 1 ]
}

@test "figures of a container that works are two seconds old at most" {
	loaded 'load spin 60000 & sleep 1; for i in 1 2 3; do head -n 1 /proc/stat; sleep 2.5; done
		echo end; wait' '.linux.resources.cpu = {cpus: "1"}'
	eventually 30 grep -q end "$T/$ID.out"
	is "$(grep -c '^cpu ' "$T/$ID.out")" 3
	is "$(grep '^cpu ' "$T/$ID.out" | sort -u | wc -l)" 3
}

@test "nothing is written while it sleeps" {
	loaded 'sleep 1000' '.linux.resources.cpu = {cpus: "1"}'
	sleep 5
	rt exec "$ID" cat /proc/stat
	cp "$T/out" "$T/before"
	sleep 5
	rt exec "$ID" cat /proc/stat
	cmp "$T/out" "$T/before"
}

@test "the files are the container's own and cannot be written" {
	sh_in 'echo x >/proc/meminfo || echo refused; busybox chmod 777 /proc/meminfo || echo refused
		busybox rm /proc/meminfo || echo refused; busybox stat -c %d /proc/meminfo /proc' \
		'.linux.resources.memory = {limit: 104857600}'
	is "$(grep -c refused "$T/out")" 3
	is "$(tail -n 2 "$T/out" | sort -u | wc -l)" 2
}

@test "without a limit, or where it is turned off, the machine is seen" {
	for none in . '.linux.resources = {cpu: {cpus: "1"}, memory: {limit: 104857600}} |
		.annotations["io.sandlock.proc.virtual"] = "false"'; do
		sh_in 'grep -c ^processor /proc/cpuinfo; sed -n "s/^MemTotal: *//p" /proc/meminfo; busybox stat -c %d /proc/stat /proc' "$none"
		is "$(sed -n 1p "$T/out")" "$(grep -c ^processor /proc/cpuinfo)"
		is "$(sed -n 2p "$T/out")" "$(sed -n 's/^MemTotal: *//p' /proc/meminfo)"
		is "$(sed -n 3p "$T/out")" "$(sed -n 4p "$T/out")"
	done
}

@test "a bundle that mounts a file there keeps it" {
	echo "MemTotal: 7 kB" >"$T/meminfo"
	sh_in 'cat /proc/meminfo' ".linux.resources.memory = {limit: 104857600} |
		.mounts += [{destination: \"/proc/meminfo\", type: \"bind\", source: \"$T/meminfo\", options: [\"bind\", \"ro\"]}]"
	out_is "MemTotal: 7 kB"
}
