#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Documents that callers decode are decoded strictly; stderr is empty where callers read it as well.
load ../lib/harness

# strict KIND: the last verb's stdout.
strict() {
	ok
	[ ! -s "$T/err" ] || { cat "$T/err"; return 1; }
	"$HARNESS_DIR/strict_json.py" "$1" "$T/out" || { cat "$T/out"; return 1; }
}

@test "state in every status" {
	created 'sleep 100' '.annotations = {"a/b": "c", "ü": "\"\\\n"}'
	rt state "$ID"
	strict state
	is "$(jq -r '.annotations["ü"]' "$T/out")" "$(printf '"\\\n')"
	rt start "$ID"
	rt state "$ID"
	strict state
	rt pause "$ID"
	rt state "$ID"
	strict state
	is "$(jq -r .status "$T/out")" paused
	rt kill "$ID" KILL
	wait_state "$ID" stopped
	rt state "$ID"
	strict state
	is "$(jq -r .pid "$T/out")" 0
}

@test "list of none and of several" {
	rt list --format json
	strict list
	started 'sleep 100'
	created 'sleep 100'
	rt list --format json
	strict list
	is "$(jq length "$T/out")" 2
}

@test "ps" {
	started 'sleep 100 & sleep 100; true'
	sleep 0.2
	rt ps --format json "$ID"
	strict ps
	is "$(jq length "$T/out")" 4 # with the one that create has told its caller
}

ps_has() {
	rt ps --format json "$ID"
	[ "$(jq length "$T/out")" -eq "$1" ]
}

@test "ps has the numbers that callers were told, of the container and of an exec" {
	started 'exec sleep 100'
	rt exec -d --pid-file "$T/exec.pid" "$ID" sleep 101
	ok
	tracked=$(pid_of "$ID")
	rt ps --format json "$ID"
	strict ps
	jq -e --argjson p "$(cat "$T/exec.pid")" 'index($p)' "$T/out"
	jq -e --argjson p "$tracked" 'index($p)' "$T/out"
	is "$(jq length "$T/out")" 4
	rt ps "$ID"
	is "$(grep -c ' sleep 10[01]$' "$T/out")" 2
	is "$(grep -c ' sandlock:\[\(supervisor\|exec\)\]$' "$T/out")" 2
	kill -9 "$(cat "$T/exec.pid")"
	eventually 5 ps_has 2
}

@test "ps of a stopped container: no list, or the header alone" {
	started 'exit 0'
	wait_state "$ID" stopped
	rt ps --format json "$ID"
	ok
	out_is null
	rt ps "$ID"
	ok
	is "$(wc -l <"$T/out")" 1
	grep -q '^UID .*PID' "$T/out"
}

@test "features" {
	rt features
	strict features
}

@test "events, once and as a stream" {
	started 'sleep 100'
	rt events --stats "$ID"
	strict events
	timeout 1.3 "$RUNTIME" --root "$ROOT" events --interval 300ms "$ID" >"$T/out" 2>"$T/err" 3>&- || true
	rc=0
	strict events
	[ "$(wc -l <"$T/out")" -ge 3 ]
}

@test "the log of what fails: one object a line" {
	RT_GLOBALS=(--log "$T/log" --log-format json)
	rt state no-such-container
	fails 'does not exist'
	rt kill no-such-container 9
	fails 'does not exist'
	"$HARNESS_DIR/strict_json.py" log "$T/log"
	is "$(wc -l <"$T/log")" 2
}
