#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# One process has several containers at a time by the functions of runtime/container, without the
# command line: errors are returned, nothing is printed, and the process goes on.
load ../lib/harness

@test "two containers of one process: create, start, exec, wait, delete" {
	bundle "$T/b" '.process.args = ["sh", "-c", "read n; echo got $n; exit $n"]'
	timeout -k 5 "$LIMIT" "$HELPERS/containers" "$ROOT" "$T/b" \
		</dev/null >"$T/out" 2>"$T/err" 3>&- 4>&- || rc=$?
	is "${rc:-0} $(cat "$T/out" "$T/err")" '0 '
}
