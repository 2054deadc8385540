#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
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
