#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# linux.resources.cpu: on which processors, and with what weight. A cgroup's answers are those of
# runc: what a program names beside the container's processors is left out, and EINVAL when nothing
# is left.
load lib

allowed='sed -n s/Cpus_allowed_list:.//p /proc/self/status'

setup() {
	harness_setup
	from_nice_0
	[ "$(nproc --all)" -ge 2 ]
}

# pinned HOW RESOURCES LIST…: what the helper says.
pinned() {
	local how=$1 resources=$2
	shift 2
	new_id
	bundle "$T/$ID" ".linux.resources.cpu = $resources |
		.process.args = [\"pin\", \"$how\", $(printf '"%s",' "$@" | sed 's/,$//')]"
	cp "$HELPERS/pin" "$T/$ID/rootfs/bin/pin"
	rt run --bundle "$T/$ID" "$ID"
	ok
}

@test "nobody in the container gets other processors, in whatever way it asks" {
	for how in zero pid thread child long; do
		pinned "$how" '{cpus: "1"}' 0-1 0 1
		is "$how: $(cat "$T/out")" "$how: $(printf 'ok 1\nEINVAL 1\nok 1')"
	done
}

@test "control: without a limit it gets what it asks for" {
	for how in zero thread child; do
		pinned "$how" '{}' 0 1 0-1
		is "$how: $(cat "$T/out")" "$how: $(printf 'ok 0\nok 1\nok 0 1')"
	done
}

@test "what a child or another program inherits stays within them, and so does exec" {
	started "taskset 3 sh -c \"$allowed\"; sleep 100" '.linux.resources.cpu = {cpus: "0"}'
	eventually 5 test -s "$T/$ID.out"
	is "$(cat "$T/$ID.out")" 0
	rt exec "$ID" sh -c "$allowed"
	out_is 0
}

@test "exec on processors that the container does not have is refused" {
	ours || skip "this runc does not know execCPUAffinity"
	started 'sleep 100' '.linux.resources.cpu = {cpus: "0"} |
		.process.execCPUAffinity = {final: "1"}'
	rt exec "$ID" true
	fails 'process.execCPUAffinity: none of the container'"'"'s processors is among them' 255
}

@test "processors that the machine does not have are refused" {
	new_id
	bundle "$T/$ID" '.linux.resources.cpu = {cpus: "1000"}'
	create "$ID" "$T/$ID"
	[ "$rc" -ne 0 ]
}

@test "a quota of whole processors is as many of them" {
	ours || skip "runc's container runs on all, and stops"
	pinned zero '{quota: 100000, period: 100000}' 0-1
	[ "$(wc -w <"$T/out")" -eq 2 ]
	pinned zero '{quota: 200000}' 0-1
	out_is "ok 0 1"
	pinned zero '{quota: 100000, cpus: "1"}' 0-1
	out_is "ok 1"
	pinned zero '{quota: -1}' 0-1
	out_is "ok 0 1"
}

# nice_of RESOURCES: nice value and policy (sched(7)) of a process of the container.
nice_of() {
	sh_in 'echo $(cut -d" " -f19,41 /proc/self/stat)' ".linux.resources.cpu = $1"
	ok
}

@test "shares are a nice value: a quarter more or less with each step" {
	ours || skip "runc's are a cgroup's"
	for pair in 1024:0 2:19 819:1 102:10 512:3 1280:-1 2048:-3 262144:-20 0:0; do
		nice_of "{shares: ${pair%:*}}"
		is "${pair%:*}:$(cat "$T/out")" "$pair 0"
	done
}

@test "the session has that weight too, where the kernel groups by session" {
	ours || skip "runc's are a cgroup's"
	[ -e /proc/self/autogroup ] || skip "this kernel has no autogroups"
	sh_in "sed 's/.*nice //' /proc/self/autogroup" '.linux.resources.cpu = {shares: 102}'
	out_is 10
}

@test "the workload cannot give itself more weight" {
	ours || skip "runc's are a cgroup's"
	sh_in 'for n in -5 3; do busybox renice -n $n -p $$; cut -d" " -f19 /proc/$$/stat; done' \
		'.linux.resources.cpu = {shares: 102}'
	out_is "$(printf '10\n13')"
}

@test "idle is SCHED_IDLE, which the workload does not leave" {
	ours || skip "runc's is a cgroup's"
	nice_of '{idle: 1}'
	out_is "0 5"
	sh_in 'chrt -o -p 0 $$; echo $?; cut -d" " -f41 /proc/self/stat' '.linux.resources.cpu = {idle: 1}'
	is "$(tail -n 1 "$T/out")" 5
}

@test "values that no cgroup takes are refused by name" {
	ours || skip "with runc it depends on the version of the cgroups"
	for bad in 'quota: 999' 'period: 999, quota: 5000' 'period: 1000001, quota: 5000' 'idle: 2' \
		'cpus: "1-x"'; do
		new_id
		bundle "$T/$ID" ".linux.resources.cpu = {$bad} | .process.args = [\"true\"]"
		create "$ID" "$T/$ID"
		fails "linux.resources.cpu.${bad%%:*}"
	done
}

@test "containers with a quota of one processor are not all on the same one" {
	ours || skip "runc leaves the choice to the kernel"
	for i in $(seq 14); do
		sh_in "$allowed" '.linux.resources.cpu = {quota: 100000, period: 100000}'
		cat "$T/out" >>"$T/chosen"
	done
	[ "$(sort -u "$T/chosen" | wc -l)" -ge 2 ]
}
