#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The container's exit status is that of the main process and cannot be forged, and signals to every
# process that the workload can reach do not stop init. 33 is the true status, 77 the forged one.
load lib

@test "a sibling's exit is not the container's" {
	is "$("$ATTACK" one naive-parent end-sibling)" "$(printf 'naive-parent\texit:77')"
	attack_run '["/attack", "direct", "end-sibling"]'
	is "$rc" 33
}

@test "an orphan's exit is not the container's" {
	is "$("$ATTACK" one naive-parent end-orphan)" "$(printf 'naive-parent\texit:77')"
	attack_run '["/attack", "direct", "end-orphan"]'
	is "$rc" 33
}

@test "a process that calls itself init or supervisor ends as itself" {
	local name
	for name in 'sandlock:[init]' 'sandlock:[super' 'sandlock-oci'; do
		attack_run "[\"/attack\", \"direct\", \"end-impostor\", \"$name\"]"
		is "$rc" 33
	done
}

@test "kill(-1): the control reaches everyone" {
	# In a pid namespace of its own, because kill(-1) would reach every process of the machine.
	ATTACK=$ATTACK unshare -p -f --mount-proc sh -c '
		sleep 1000 &
		"$ATTACK" direct end-kill-all -1 KILL
		[ $? -eq 33 ] && ! kill -0 $! 2>/dev/null' 3>&- 4>&-
}

@test "kill(-1) with every deadly signal: init lives, the host lives, the end is seen" {
	local s
	bystander
	for s in KILL STOP TERM HUP INT QUIT SEGV ABRT TSTP USR1; do
		attack_run "[\"/attack\", \"direct\", \"end-kill-all\", \"-1\", \"$s\"]"
		is "$rc" 33
		still_there
	done
}

@test "kill(0, KILL) ends the own process group and nothing above it" {
	bystander
	attack_run '["/attack", "direct", "end-kill-all", "0", "KILL"]'
	is "$rc" 137
	still_there
}

@test "the parent of the workload cannot be signalled" {
	local s
	# The control: a shell that is killed by its child.
	rc=0
	"$BASH" -c "\"$ATTACK\" direct signal-parent KILL; true" >"$T/out" 2>&1 || rc=$?
	is "$rc" 137
	for s in KILL STOP TERM; do
		attack_run "[\"/attack\", \"direct\", \"signal-parent\", \"$s\"]"
		is "$rc" 1
		out_is "$(printf 'signal-parent\tkill:EPERM')"
	done
}

@test "tracing by init: no false end, and it can be ended" {
	attack_bundle "$T/b" '["/attack", "direct", "end-traced"]'
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	sleep 0.5
	# Init may let the process go on (and it ends) or leave it stopped. It must not report an end
	# while the process exists.
	if [ "$(state_word "$ID")" = running ]; then
		rt kill "$ID" KILL
		ok
	fi
	wait_state "$ID" stopped
	rt delete "$ID"
	ok
}

# headless: the pids of processes of this test that run while their first thread is a zombie.
headless() {
	local d
	for d in /proc/[0-9]*; do
		[ "$(readlink "$d/root")" ] && continue
		grep -qs '^Name:.attack$' "$d/status" || continue
		grep -qsr '^State:.[RS]' "$d"/task/*/status && echo "${d#/proc/}"
	done
	return 0
}

@test "a process whose first thread has ended is swept like any other" {
	local init
	attack_bundle "$T/b" '["/attack", "direct", "end-headless"]'
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	headless_is_there() { [ -n "$(headless)" ]; }
	# The control: the process exists, and would go on if nobody ended it.
	eventually 5 headless_is_there
	init=$(init_of "$ID")
	# Init is stopped first, because it may end everything when it sees the supervisor end.
	kill -STOP "$init"
	kill -KILL "$(pid_of "$ID")" "$init"
	sleep 0.3
	headless_is_there
	rt delete --force "$ID"
	ok
	is "$(headless)" ""
}
