#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Long --root and ids work, although the path of a unix socket has at most 108 bytes.
load ../lib/harness

@test "a --root of 200 characters and an id of 64" {
	ROOT=$T/$(printf 'r%.0s' $(seq 200))
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	ID=$(printf 'abcdef01%.0s' $(seq 8))
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	is "$(state_word "$ID")" running
	rt kill "$ID" KILL
	ok
	wait_state "$ID" stopped
	rt delete "$ID"
	ok
}

@test "a relative --root" {
	cd "$T"
	ROOT=root
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	create x "$T/b"
	ok
	rt start x
	ok
	cd /
	ROOT=$T/root
	is "$(state_word x)" running
	rt delete --force x
	ok
}

@test "a --root that cannot be made is an error" {
	: >"$T/file"
	bundle "$T/b"
	RT_GLOBALS=(--root "$T/file/root")
	rt create --bundle "$T/b" x
	is "$rc" 1
	[ -s "$T/err" ]
}
