#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# An id has one container: a second create fails and does not affect the first.
load ../lib/harness

@test "create with a used id fails with the text callers match" {
	started 'sleep 100'
	create "$ID" "$T/$ID"
	fails 'container with given ID already exists'
	is "$(state_word "$ID")" running
}

@test "create with the id of a stopped container fails" {
	started 'exit 0'
	wait_state "$ID" stopped
	rt create --bundle "$T/$ID" "$ID"
	fails 'container with given ID already exists'
}

@test "of two creates at once exactly one wins" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	local i p a b
	for i in $(seq 15); do
		a=0 b=0
		timeout 20 "$RUNTIME" --root "$ROOT" create --bundle "$T/b" dup </dev/null >"$T/1o" 2>"$T/1e" 3>&- &
		p=$!
		timeout 20 "$RUNTIME" --root "$ROOT" create --bundle "$T/b" dup </dev/null >"$T/2o" 2>"$T/2e" 3>&- || b=$?
		wait "$p" || a=$?
		is "$(((a == 0) + (b == 0)))" 1
		cat "$T/1e" "$T/2e" | grep -q 'already exists'
		is "$(state_word dup)" created
		rt delete --force dup
		ok
	done
}
