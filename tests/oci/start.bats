#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# start succeeds once, and for a created container only (runtime-spec, runtime.md "Start").
load ../lib/harness

@test "start of a running container fails" {
	started 'sleep 100'
	rt start "$ID"
	fails 'cannot start an already running container'
	is "$(state_word "$ID")" running
}

@test "start of a stopped container fails" {
	started 'exit 0'
	wait_state "$ID" stopped
	rt start "$ID"
	fails 'cannot start a container that has stopped'
}

@test "start of an unknown id fails" {
	rt start nobody
	fails 'container does not exist'
}

@test "two starts at once: one wins, the program runs once" {
	local a=0 b=0 p
	created 'echo once; sleep 100'
	timeout 20 "$RUNTIME" --root "$ROOT" start "$ID" >"$T/1.out" 2>"$T/1.err" 3>&- &
	p=$!
	timeout 20 "$RUNTIME" --root "$ROOT" start "$ID" >"$T/2.out" 2>"$T/2.err" 3>&- || b=$?
	wait "$p" || a=$?
	is "$(((a == 0) + (b == 0)))" 1
	eventually 5 grep -q once "$T/$ID.out"
	is "$(cat "$T/$ID.out")" once
}

@test "a state root that is full: start is refused, and works once there is room" {
	ours || skip "runc writes nothing at start"
	mkdir "$T/full"
	mount -t tmpfs -o size=256k tmpfs "$T/full"
	ROOT=$T/full
	created 'echo it runs; sleep 100'
	rc=0
	dd if=/dev/zero of="$T/full/filler" 2>/dev/null || rc=$?
	is "$rc" 1
	rt start "$ID"
	fails 'No space left on device'
	is "$(state_word "$ID")" created
	rm "$T/full/filler"
	rt start "$ID"
	ok
	eventually 5 grep -q 'it runs' "$T/$ID.out"
	is "$(state_word "$ID")" running
	rt delete -f "$ID"
	ok
	umount "$T/full"
}
