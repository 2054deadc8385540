#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# state: what callers decode; Go's time.Time needs RFC 3339.
load ../lib/harness

@test "state of a created container has every member with its type" {
	created 'sleep 100' '.annotations = {"a.b/c": "d", "e": ""}'
	rt state "$ID"
	ok
	json --arg id "$ID" --arg b "$T/$ID" '
		(.ociVersion | test("^1\\.")) and .id == $id and (.pid | type) == "number" and
		.pid > 0 and .status == "created" and .bundle == $b and
		.rootfs == ($b + "/rootfs") and .annotations == {"a.b/c": "d", "e": ""} and
		(.owner | type) == "string" and
		(.created | test("^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](\\.[0-9]+)?Z$"))
	' "$T/out"
	is "$(cat "$T/err")" ""
}

@test "the time of creation is now, in UTC, and does not change" {
	local before after first
	before=$(date -u +%Y-%m-%dT%H:%M:%S)
	created 'sleep 100'
	after=$(date -u +%Y-%m-%dT%H:%M:%S)
	rt state "$ID"
	first=$(jq -r .created "$T/out")
	[[ ${first:0:19} > $before || ${first:0:19} == "$before" ]]
	[[ ${first:0:19} < $after || ${first:0:19} == "$after" ]]
	rt start "$ID"
	rt state "$ID"
	is "$(jq -r .created "$T/out")" "$first"
}

@test "state follows the life: created, running, stopped; pid 0 at the end" {
	created 'sleep 100'
	is "$(state_word "$ID")" created
	rt start "$ID"
	ok
	is "$(state_word "$ID")" running
	rt kill "$ID" KILL
	ok
	wait_state "$ID" stopped
	is "$(pid_of "$ID")" 0
}

@test "state of an unknown id fails with the text callers match" {
	rt state nobody
	fails 'container does not exist'
	is "$(cat "$T/out")" ""
}

@test "the tracked pid is alive and the same in pid-file and state" {
	started 'sleep 100'
	is "$(pid_of "$ID")" "$(cat "$T/$ID.pid")"
	kill -0 "$(pid_of "$ID")"
}
