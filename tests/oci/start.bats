#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# start: once, and only from created (runtime-spec, runtime.md "Start").
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
