#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills memory, and measures how far
# linux.resources.memory.limit holds for every kind of memory. Shared memory counts once, reserved
# memory not at all. Control: the same program below the limit, or without one, is not killed.
load lib

MIB=1048576

teardown() {
	! mountpoint -q "$T/shm" || umount -l "$T/shm"
	harness_teardown
}

limited() {
	loaded "exec $1" ".linux.resources.memory = {limit: $(($2 * MIB))} | ${3:-.}"
}

killed() {
	wait_state "$ID" stopped 10 || { echo "lives: $1"; return 1; }
}

# some_killed MIB: of several equal processes, the main one among them, it is open which are killed; what
# is left is below the limit.
some_killed() {
	! ours || eventually 10 test -e "$T/$ID/oom"
	eventually 10 bounded "$1"
}

bounded() {
	[ "$(state_word "$ID")" = stopped ] || [ "$(stat_of .memory.usage.usage)" -le $(($1 * MIB)) ]
}

lives() {
	eventually 10 has "$T/$ID.out" held
	sleep 0.2
	is "$1 $(state_word "$ID")" "$1 running"
}

@test "memory of every kind above the limit ends the process" {
	for kind in anon huge shared memfd memfd-unmapped deleted deleted-mapped segment; do
		limited "load hold $kind 60" 32
		killed "$kind"
	done
}

@test "memory of every kind below the limit lives" {
	for kind in anon huge shared memfd memfd-unmapped deleted deleted-mapped segment; do
		limited "load hold $kind 25" 32
		lives "$kind"
		rt delete --force "$ID"
	done
}

@test "memory of a process whose first thread has ended, and files of a thread with a table of its own" {
	for kind in leaderless leaderless-memfd own-table; do
		limited "load hold $kind 60" 32
		killed "$kind"
		limited "load hold $kind 25" 32
		lives "$kind"
		rt delete --force "$ID"
	done
}

@test "page tables, files that were passed on, and children of every kind" {
	for kind in tables passed silent child-of-parent; do
		limited "load hold $kind 60; sleep 100" 32
		eventually 10 test -e "$T/$ID/oom"
		limited "load hold $kind 25" 32
		lives "$kind"
		rt delete --force "$ID"
	done
}

@test "calls for memory and page faults ask nobody" {
	ours || skip "about the supervisor"
	limited 'load map 2000' 64 '.linux.resources.pids = {limit: 20}'
	eventually 10 has "$T/$ID.out" mapped
	stat_of '.sandlock.notifications | to_entries[] | select(.value >= 1000)' >"$T/asked"
	is "$(cat "$T/asked")" ""
	is "$(stat_of '.sandlock.notifications | keys | map(select(test("^(mmap|munmap|mremap|mprotect|madvise|brk)$")))')" "[]"
	between 1 "$(stat_of '[.sandlock.notifications[]] | add')" 20
}

@test "the pod's /dev/shm: what a process has open counts for its container" {
	pod_shm=".mounts |= map(select(.destination != \"/dev/shm\")) + [{destination: \"/dev/shm\",
		type: \"bind\", source: \"$T/shm\", options: [\"rbind\"]}]"
	mkdir "$T/shm"
	mount -t tmpfs shm "$T/shm"
	dd if=/dev/zero of="$T/shm/of-another-container" bs=1M count=60 status=none
	for kind in deleted deleted-mapped; do
		limited "load hold $kind 25" 32 "$pod_shm"
		lives "$kind"
		rt delete --force "$ID"
		limited "load hold $kind 60" 32 "$pod_shm"
		killed "$kind"
		rt delete --force "$ID"
	done
}

@test "a child of vfork has its parent's memory, which counts once" {
	limited 'load hold vfork 40' 64
	eventually 10 has "$T/$ID.out" held
	sleep 1.5
	is "$(state_word "$ID")" running
}

@test "what is only reserved, or shared by a fork, costs nothing" {
	limited 'load hold reserve 4096' 64
	lives reserve
	limited 'load hold cow 40 8' 64
	lives cow
}

@test "pages of a fork that are written are its own" {
	ours || skip "runc leaves it to conmon to tell"
	limited 'load hold cow-written 40 8' 64
	eventually 10 test -e "$T/$ID/oom"
}

@test "many processes together are one container" {
	limited 'load hold anon 16 8' 64
	some_killed 64
	rt delete --force "$ID"
	limited 'load hold anon 5 8' 64
	lives anon
}

@test "more processes than the kernel lists below init are measured all the same" {
	ours || skip "about how this runtime finds them"
	limited 'load tasks same-memory 2100 & sleep 1; load hold anon 150' 64
	eventually 30 test -e "$T/$ID/oom"
}

@test "the largest process is killed, the others live, and who is told is told" {
	ours || skip "runc leaves that to conmon"
	loaded 'load hold anon 20 & load hold anon 200 & wait; echo over; sleep 100' \
		".linux.resources.memory = {limit: $((64 * MIB))}"
	eventually 10 has "$T/$ID.out" held
	eventually 10 test -e "$T/$ID/oom"
	is "$(state_word "$ID")" running
	is "$(stat_of '.memory.usage.limit, .memory.usage.failcnt')" "$(printf '%s\n1' $((64 * MIB)))"
	between 15000000 "$(stat_of .memory.raw.anon)" 40000000
	LIMIT=1 rt events --interval 100ms "$ID"
	is "$(jq -r 'select(.type == "oom") | .id' "$T/out")" "$ID"
}

@test "a main process that is killed has 137" {
	bundle "$T/b" ".linux.resources.memory = {limit: $((64 * MIB))} | .process.args = [\"/bin/load\", \"hold\", \"anon\", \"100\"]"
	cp "$HELPERS/load" "$T/b/rootfs/bin/load"
	run_bundle "$T/b"
	is "$rc" 137
	[ -e "$T/b/oom" ] || ! ours
}

@test "deny: ENOMEM for one, and together they are bounded all the same" {
	ours || skip "only this runtime knows it"
	deny='.annotations["io.sandlock.limits.memory_mode"] = "deny"'
	limited 'load hold anon 100' 64 "$deny"
	eventually 5 has "$T/$ID.out" ENOMEM
	limited 'load hold anon 16 8' 64 "$deny"
	some_killed 64
	refused_bundle "$deny" 'without a limit'
}

@test "the annotation limits too, and the smaller one counts" {
	ours || skip "only this runtime knows it"
	limited 'load hold anon 100' 400 '.annotations["io.sandlock.limits.memory"] = "64M"'
	killed anon
}

@test "a program that may not be read, for which the kernel does not tick, is bounded" {
	limited 'sh -c "cp /bin/load /tmp/x; chmod 111 /tmp/x; exec /tmp/x hold anon 1500"' 64 '.process.user = {uid: 1000, gid: 1000} |
		.mounts += [{destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["mode=1777"]}]'
	killed unreadable
	is "$(cat "$T/$ID.out")" ""
}

@test "processes that left their parents are found" {
	limited 'sh -c "(setsid load hold anon 40 &) ; (load hold anon 40 &); sleep 100"' 64
	eventually 10 test -e "$T/$ID/oom"
}

@test "where neither the clock nor real-time rights can be had, the limit holds all the same" {
	ours || skip "about the supervisor"
	mkdir "$T/bin"
	printf '#!/bin/sh\nexec %s perf_event_open sched_setscheduler -- %s "$@"\n' \
		"$HELPERS/without" "$RUNTIME" >"$T/bin/sandlock-oci"
	chmod +x "$T/bin/sandlock-oci"
	RUNTIME=$T/bin/sandlock-oci
	for kind in anon memfd-unmapped; do
		limited "load hold $kind 400" 64
		killed "$kind"
		limited "load hold $kind 40" 64
		lives "$kind"
		rt delete --force "$ID"
	done
}

@test "without a limit there is no thread; with one that is asleep there is no wake-up" {
	ours || skip "about the supervisor"
	started 'exec sleep 100'
	is "$(ls "/proc/$(pid_of "$ID")/task" | wc -l)" 1
	limited 'sleep 100' 64
	supervisor=$(pid_of "$ID")
	thread=$(ls "/proc/$supervisor/task" | grep -vx "$supervisor")
	sleep 4
	before=$(awk '/^voluntary/ { print $2 }' "/proc/$supervisor/task/$thread/status")
	sleep 4
	after=$(awk '/^voluntary/ { print $2 }' "/proc/$supervisor/task/$thread/status")
	between 0 $((after - before)) 2
}
