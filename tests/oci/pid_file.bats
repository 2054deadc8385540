#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --pid-file: digits only, and complete when create returns.
load ../lib/harness

@test "the pid-file holds digits and nothing else" {
	created 'sleep 100'
	is "$(tr -d 0-9 <"$T/$ID.pid" | wc -c)" 0
	[ -s "$T/$ID.pid" ]
	is "$(cat "$T/$ID.pid")" "$(pid_of "$ID")"
}

@test "a failed create leaves no pid-file" {
	bundle "$T/b" '.process.args = ["no-such-program"]'
	create bad "$T/b"
	is "$rc" 1
	[ ! -e "$T/bad.pid" ]
}

@test "a pid-file that cannot be written fails create and leaves nothing" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	rt create --bundle "$T/b" --pid-file "$T/no/such/dir/pid" x
	is "$rc" 1
	assert_nothing_left
}
