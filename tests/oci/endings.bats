#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# For a caller that is a sub-reaper the tracked process ends exactly as the workload did. It is the
# leader of its process group, and there is nothing else to reap.
load ../lib/harness

# ending ARGS-JSON: prints how the tracked process ended; the report is in $T/report.
ending() {
	new_id
	bundle "$T/$ID" ".process.args = $1"
	rm -f "$T/report"
	timeout 30 "$HELPERS/reap" "$T/$ID.pid" "$T/report" \
		"$RUNTIME" --root "$ROOT" create --bundle "$T/$ID" --pid-file "$T/$ID.pid" "$ID" \
		</dev/null >"$T/$ID.out" 2>"$T/$ID.err" 3>&- &
	local reaper=$!
	eventually 10 grep -q '^created 0' "$T/report"
	eventually 10 grep -q '^pgrp' "$T/report"
	rt start "$ID"
	ok
	if [ -n "${2:-}" ]; then
		sleep 0.2
		$2
	fi
	wait "$reaper" || true
	cat "$T/report"
	END=$(sed -n 3p "$T/report")
	has "$T/report" "left 0"
	has "$T/report" "pgrp own"
	rt delete "$ID"
	ok
}

@test "exit codes 0, 1, 42, 127 and 255 are mirrored" {
	local code
	for code in 0 1 42 127 255; do
		ending "[\"sh\", \"-c\", \"exit $code\"]"
		is "$END" "exited $code"
	done
}

@test "deaths by signal 2 6 9 11 15 are mirrored, without a core" {
	ours || skip "pid 1 of a namespace is immune"
	local sig
	for sig in 2 6 9 11 15; do
		ending "[\"probe\", \"die\", \"$sig\"]"
		is "$END" "signaled $sig"
	done
}

@test "a kill through the runtime is seen as that signal" {
	ending '["sleep", "100"]' kill_it
	is "$END" "signaled 9"
}

kill_it() {
	rt kill "$ID" KILL
	ok
}

@test "a SIGTERM through the runtime ends a program without a handler" {
	ours || skip "pid 1 of a namespace is immune"
	ending '["sleep", "100"]' term_it
	is "$END" "signaled 15"
}

term_it() {
	rt kill "$ID" TERM
	ok
}

@test "delete of a created container ends the tracked pid too" {
	created 'sleep 100'
	local pid
	pid=$(pid_of "$ID")
	rt delete --force "$ID"
	ok
	eventually 2 not_alive "$pid"
}

not_alive() {
	! kill -0 "$1" 2>/dev/null || grep -q 'State:.Z' "/proc/$1/status"
}
