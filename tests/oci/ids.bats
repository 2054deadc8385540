#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Container ids: runc's rule, so that no id leads out of the state root.
load ../lib/harness

@test "ids that are no file name of their own are refused" {
	bundle "$T/b"
	local id
	for id in ../x a/b . .. '' 'x y' $'a\nb' 'a;b' 'ä' 'a*' '/abs'; do
		rt create --bundle "$T/b" "$id"
		if [ "$rc" -ne 1 ]; then
			echo "id '$id': status $rc"
			false
		fi
		[ -z "$id" ] || fails 'invalid container ID format'
	done
	[ ! -e "$ROOT" ] || is "$(find "$ROOT" -mindepth 1)" ""
}

@test "verbs on a malformed id touch nothing outside the root" {
	mkdir -p "$ROOT" "$T/victim"
	: >"$T/victim/file"
	local verb
	for verb in state start delete 'delete --force' kill; do
		rt $verb ../victim
		echo "$verb: $rc"
		[ -e "$T/victim/file" ]
	done
}

@test "letters, digits, underscore, plus, dash and dot make an id" {
	bundle "$T/b" '.process.args = ["echo", "ran"]'
	rt run --bundle "$T/b" "aZ09_+-.x"
	ok
	out_is ran
	rt run --bundle "$T/b" "$(printf 'a%.0s' $(seq 64))"
	ok
	out_is ran
}

@test "an id of 1024 characters gives an error, not a crash" {
	bundle "$T/b" '.process.args = ["true"]'
	rt run --bundle "$T/b" "$(printf 'a%.0s' $(seq 1024))"
	is "$rc" 1
	[ -s "$T/err" ]
}
