#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# Hooks: order, the state on stdin, and a failing one stops create (runtime-spec, config.md).
load ../lib/harness

hook() {
	cat >"$T/hook" <<-EOF
		#!/bin/sh
		echo "\$1 \$(jq -r .status) \$EXTRA" >>$T/hook.log
		[ "\$1" != "\$FAIL" ]
	EOF
	chmod 755 "$T/hook"
}

one() {
	echo "[{path: \"$T/hook\", args: [\"hook\", \"$1\"], env: [\"PATH=$PATH\", \"EXTRA=e\"]}]"
}

@test "hooks run in order with the state on stdin" {
	hook
	bundle "$T/b" ".process.args = [\"true\"] | .hooks = {
		createRuntime: $(one createRuntime), poststart: $(one poststart), poststop: $(one poststop)}"
	new_id
	create "$ID" "$T/b"
	ok
	is "$(cut -d' ' -f1,3 "$T/hook.log")" "createRuntime e"
	rt start "$ID"
	ok
	wait_state "$ID" stopped
	rt delete "$ID"
	ok
	is "$(cut -d' ' -f1 "$T/hook.log" | tr '\n' ' ')" "createRuntime poststart poststop "
}

@test "a failing createRuntime hook fails create and leaves nothing" {
	printf '#!/bin/sh\nexit 5\n' >"$T/hook"
	chmod 755 "$T/hook"
	bundle "$T/b" ".process.args = [\"true\"] | .hooks = {createRuntime: [{path: \"$T/hook\"}]}"
	create x "$T/b"
	[ "$rc" -ne 0 ]
	has "$T/err" hook
	rt state x
	fails 'does not exist'
	assert_nothing_left
}

@test "a hook that hangs is ended at its timeout" {
	printf '#!/bin/sh\nsleep 30\n' >"$T/hook"
	chmod 755 "$T/hook"
	bundle "$T/b" ".process.args = [\"true\"] | .hooks = {createRuntime: [{path: \"$T/hook\", timeout: 1}]}"
	create x "$T/b"
	[ "$rc" -ne 0 ]
	assert_nothing_left
}

@test "a failing poststart hook ends the container and fails start" {
	printf '#!/bin/sh\nexit 7\n' >"$T/hook"
	chmod 755 "$T/hook"
	created 'sleep 100' ".hooks = {poststart: [{path: \"$T/hook\"}]}"
	rt start "$ID"
	fails 'poststart hook #0'
	wait_state "$ID" stopped
}

@test "a failing poststop hook is a warning, and the next one runs" {
	printf '#!/bin/sh\nexit 7\n' >"$T/hook"
	printf '#!/bin/sh\necho ran >%s\n' "$T/second" >"$T/hook2"
	chmod 755 "$T/hook" "$T/hook2"
	created true ".hooks = {poststop: [{path: \"$T/hook\"}, {path: \"$T/hook2\"}]}"
	RT_GLOBALS=(--log "$T/log")
	rt delete "$ID"
	ok
	has "$T/log" 'poststop hook #0'
	is "$(cat "$T/second")" ran
}
