#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# delete removes stopped containers only, and each of them once.
load ../lib/harness

@test "delete of a stopped container succeeds; a second one says it is gone" {
	started 'exit 0'
	wait_state "$ID" stopped
	rt delete "$ID"
	ok
	rt delete "$ID"
	fails 'container does not exist'
	rt state "$ID"
	fails 'container does not exist'
}

@test "delete of a running container is refused with the text callers match" {
	started 'sleep 100'
	rt delete "$ID"
	fails "cannot delete container $ID that is not stopped: running"
	is "$(state_word "$ID")" running
}

@test "delete of a created container kills it and deletes it" {
	created 'sleep 100'
	rt delete "$ID"
	ok
	assert_nothing_left
}

@test "delete of an unknown id fails" {
	rt delete nobody
	fails 'container does not exist'
}

@test "the id is free again after delete" {
	started 'exit 0'
	wait_state "$ID" stopped
	rt delete "$ID"
	ok
	create "$ID" "$T/$ID"
	ok
}
