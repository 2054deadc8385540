#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# create killed at a random moment: delete --force cleans up and the id is free again.
load ../lib/harness

@test "create killed at 30 moments between 0 and 15 ms" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	local i p
	for i in $(seq 30); do
		"$RUNTIME" --root "$ROOT" create --bundle "$T/b" x </dev/null >"$T/o" 2>"$T/e" 3>&- &
		p=$!
		sleep "0.0$(printf '%02d' $((i / 2)))$((RANDOM % 10))"
		kill -9 "$p" 2>/dev/null || true
		wait "$p" 2>/dev/null || true
		rt delete --force x
		ok
		create x "$T/b"
		ok
		is "$(state_word x)" created
		rt delete --force x
		ok
		if [ -d "$ROOT" ]; then
			is "$(find "$ROOT" -mindepth 1)" ""
		fi
	done
	assert_nothing_left
}

@test "create killed right away, then nothing: no process stays" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	local i p
	for i in $(seq 10); do
		"$RUNTIME" --root "$ROOT" create --bundle "$T/b" "x$i" </dev/null >"$T/o" 2>"$T/e" 3>&- &
		p=$!
		sleep "0.00$i"
		kill -9 "$p" 2>/dev/null || true
		wait "$p" 2>/dev/null || true
	done
	for i in $(seq 10); do
		rt delete --force "x$i"
		ok
	done
	# The control: without a kill the same call makes a container.
	create x "$T/b"
	is "$(state_word x)" created
	rt delete --force x
	assert_nothing_left
}
