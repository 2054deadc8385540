#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --log with --log-format json: one object per line, which callers decode.
load ../lib/harness

@test "a failure is one JSON line with level, msg and an RFC 3339 time" {
	RT_GLOBALS=(--log "$T/log" --log-format json)
	rt state nobody
	fails 'does not exist'
	is "$(wc -l <"$T/log")" 1
	json '.level == "error" and (.msg | test("does not exist")) and
		(.time | test("^20[0-9-]+T[0-9:]+(\\.[0-9]+)?(Z|[+-][0-9:]+)$"))' "$T/log"
}

@test "the log is appended to" {
	RT_GLOBALS=(--log "$T/log" --log-format json)
	rt state nobody
	rt kill nobody
	is "$(jq -s length "$T/log")" 2
}

@test "create says why in the log as on stderr" {
	RT_GLOBALS=(--log "$T/log" --log-format json)
	bundle "$T/b" '.process.args = ["no-such-program"]'
	rt create --bundle "$T/b" x
	fails 'executable file not found in $PATH'
	json -s 'map(select(.level == "error")) | last | .msg |
		contains("executable file not found in $PATH")' "$T/log"
}

@test "run says why in the host's log once it is inside the tree, and leaves nothing" {
	RT_GLOBALS=(--log "$T/log" --log-format json)
	bundle "$T/b" '.process.args = ["no-such-program"]'
	mkdir -p "$T/b/rootfs$T"
	run_bundle "$T/b"
	fails 'executable file not found in $PATH'
	json -s 'map(select(.level == "error")) | last | .msg |
		contains("executable file not found in $PATH")' "$T/log"
	[ ! -e "$T/b/rootfs$T/log" ]
	rt state "$ID"
	fails 'does not exist'
}

@test "success writes nothing to the log" {
	RT_GLOBALS=(--log "$T/log" --log-format json)
	# Without the network namespace that it does not get, which is told.
	sh_in 'echo ran' '.linux.namespaces |= map(select(.type != "network"))'
	out_is ran
	[ ! -s "$T/log" ]
}

@test "text format writes one line with the message" {
	RT_GLOBALS=(--log "$T/log" --log-format text)
	rt state nobody
	has "$T/log" 'does not exist'
}

@test "an unknown format is refused" {
	RT_GLOBALS=(--log "$T/log" --log-format yaml)
	rt list
	[ "$rc" -ne 0 ]
}

@test "a message with quotes and control characters stays one JSON line" {
	RT_GLOBALS=(--log "$T/log" --log-format json)
	bundle "$T/b" '.process.args = ["no\"such\n\tprogram\u0001"]'
	rt create --bundle "$T/b" x
	is "$rc" 1
	is "$(jq -s length "$T/log")" "$(wc -l <"$T/log")"
}

@test "--debug writes lines of level debug, and without it there are none" {
	bundle "$T/b" '.process.args = ["true"]'
	RT_GLOBALS=(--log "$T/log" --log-format json)
	run_bundle "$T/b"
	ok
	if [ -e "$T/log" ]; then is "$(jq -s '[.[] | select(.level == "debug")] | length' "$T/log")" 0; fi
	RT_GLOBALS+=(--debug)
	run_bundle "$T/b"
	ok
	[ "$(jq -s '[.[] | select(.level == "debug")] | length' "$T/log")" -ge 2 ]
	out_is ''
	is "$(cat "$T/err")" ''
	ours || return 0
	rt exec --env SECRET=hidden "$ID" true
	if grep hidden "$T/log"; then false; fi
}
