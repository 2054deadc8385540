#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# delete --force succeeds in every state, and when there is no such container.
load ../lib/harness

@test "delete --force of an unknown id succeeds, also twice" {
	rt delete --force nobody
	ok
	rt delete -f nobody
	ok
}

@test "delete --force of a created container leaves nothing" {
	created 'sleep 100'
	rt delete --force "$ID"
	ok
	assert_nothing_left
}

@test "delete --force of a running container kills what ignores signals" {
	started 'trap "" TERM INT HUP; probe daemon 100; while :; do sleep 1; done'
	rt delete --force "$ID"
	ok
	assert_nothing_left
}

@test "delete --force of a stopped container leaves nothing" {
	started 'exit 0'
	wait_state "$ID" stopped
	rt delete --force "$ID"
	ok
	assert_nothing_left
}

@test "two delete --force at once both succeed" {
	local a=0 b=0 p
	started 'sleep 100'
	timeout 20 "$RUNTIME" --root "$ROOT" delete --force "$ID" >"$T/1" 2>&1 3>&- &
	p=$!
	timeout 20 "$RUNTIME" --root "$ROOT" delete --force "$ID" >"$T/2" 2>&1 3>&- || b=$?
	wait "$p" || a=$?
	cat "$T/1" "$T/2"
	is "$a $b" "0 0"
	assert_nothing_left
}
