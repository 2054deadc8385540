#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills the machine
# Calls that point to a page of a volume whose file system does not answer. Reading such a page
# cannot be bounded: the supervisor of that one container waits with its caller. Nobody else does,
# kill reaches the container, and nothing is left when the file system is gone.
load lib

teardown() {
	slow_end
	harness_teardown
}

slow_begin() {
	mkdir -p "$T/slow"
	"$HELPERS/slowfs" "$T/slow" >"$T/slow.log" 2>&1 3>&- 4>&- &
	SLOW=$!
	eventually 5 grep -q ready "$T/slow.log"
}

slow_end() {
	[ -n "${SLOW:-}" ] || return 0
	umount -l "$T/slow"
	kill "$SLOW"
	wait "$SLOW" || true
	SLOW=
}

@test "the control: without a sandbox the caller waits, and for nothing but the file system's end" {
	slow_begin
	"$ATTACK" direct slow-page uname "$T/slow/f" 3>&- 4>&- &
	sleep 0.5
	kill -0 $!
	slow_end
	wait $! || true
}

@test "the others go on, kill reaches the container, and the end of the file system ends it" {
	local call began slow pid
	POD=".annotations[\"io.kubernetes.cri.sandbox-id\"] = \"slow-$$\" | .hostname = \"slow\""
	started 'sleep 100' "$POD"
	local beside=$ID
	for call in uname mq_open bind; do
		slow_begin
		attack_bundle "$T/b" "[\"/attack\", \"direct\", \"slow-page\", \"$call\", \"/slow/f\"]" \
			"$POD | .mounts += [{destination: \"/slow\", type: \"bind\", source: \"$T/slow\", options: [\"rbind\", \"rw\"]}]"
		new_id
		slow=$ID
		create "$slow" "$T/b"
		ok
		rt start "$slow"
		ok
		pid=$(workload_of "$slow")
		eventually 5 grep -q '^State:.D' "/proc/$(pid_of "$slow")/status"
		began=$(now_ms)
		rt exec "$beside" sh -c 'uname -n; nc -l -p 0 -w 1 || true'
		ok
		is "$(state_word "$slow")" running
		rt kill "$slow" KILL
		ok
		eventually 2 no_such "$pid"
		[ $(($(now_ms) - began)) -lt 4000 ]
		slow_end
		wait_state "$slow" stopped 5
		rt delete "$slow"
		ok
		rm -rf "$T/b"
	done
	rt delete --force "$beside"
	ok
}

@test "a unix socket whose node the file system never makes: the supervisor waits for a second" {
	local began
	ours || skip "another runtime binds nothing"
	slow_begin
	# The control: without a sandbox the caller waits.
	"$HELPERS/unixbind" at "$T/slow/control" >"$T/control" 3>&- 4>&- &
	sleep 1.5
	is "$(cat "$T/control")" ""
	started 'for i in $(seq 20); do unixbind at /slow/$i & done; wait; unixbind at /tmp/s; sleep 100' ".mounts += [
		{destination: \"/slow\", type: \"bind\", source: \"$T/slow\", options: [\"rbind\", \"rw\"]},
		{destination: \"/bin/unixbind\", type: \"bind\", source: \"$HELPERS/unixbind\", options: [\"bind\", \"ro\"]}]"
	began=$(now_ms)
	# Twenty callers at once, and no more than one process of the runtime's that waits.
	eventually 10 sh -c "[ \$(grep -c EIO '$T/$ID.out') = 21 ]"
	is "$(ps --ppid "$(pid_of "$ID")" -o stat= | grep -c D)" 1
	rt exec "$ID" true
	ok
	[ $(($(now_ms) - began)) -lt 5000 ]
	slow_end
	eventually 5 sh -c "'$RUNTIME' --root '$ROOT' exec '$ID' unixbind at /tmp/t | grep -q ok"
	rt delete --force "$ID"
	ok
	wait
}

no_such() {
	[ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"
}
