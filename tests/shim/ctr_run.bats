#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the sockets of all shims of the machine
# ctr run with the shim of this runtime: output, status, standard input, and nothing is left.
load ../lib/shim

stopped() {
	[ "$(status_of "$MARK")" = STOPPED ]
}

@test "ctr run gives output, errors and the status" {
	shim_run "$BUSYBOX" "$MARK" --rm -- sh -c 'echo out; echo err >&2; exit 7'
	is "$rc" 7
	out_is out
	has "$T/err" err
	shim_run "$BUSYBOX" "$MARK" --rm -- sh -c 'kill -9 $$'
	is "$rc" 137
}

@test "a program that is not there fails, and leaves nothing" {
	shim_run "$BUSYBOX" "$MARK" --rm -- nosuch
	[ "$rc" -ne 0 ]
	has "$T/err" nosuch
}

@test "an annotation that is refused: ctr hears the reason, and nothing is left" {
	shim_run "$BUSYBOX" "$MARK" --annotation io.sandlock.limits.memory=much --rm -- true
	[ "$rc" -ne 0 ]
	has "$T/err" io.sandlock.limits.memory
	has "$T/err" much
	is "$(status_of "$MARK")" ""
	is "$(ls "$ROOT" 2>/dev/null)" ""
	shim_run "$BUSYBOX" "$MARK" --annotation io.sandlock.limits.memory=64M --rm -- echo hi
	ok
	out_is hi
}

@test "HTTP rules: the proxy is found beside the shim" {
	local dir pid
	dir=$(dirname "$(readlink -f "$BUILD/bin/containerd-shim-sandlock-v1")")
	shim_run "$BUSYBOX" "$MARK" --annotation "io.sandlock.http.allow=GET 192.0.2.1/*" -d -- sleep 100
	ok
	pid=$("${CTR[@]}" task ls | awk -v id="$MARK" '$1 == id { print $2 }')
	is "$(readlink "/proc/$(pgrep -P "$pid" -f 'sandlock:.proxy')/exe")" "$dir/sandlock-proxy"
	ctr_do task kill -s KILL "$MARK"
	eventually 5 stopped
	ctr_do task rm "$MARK"
	ctr_do container rm "$MARK"
}

@test "standard input comes in, and its end" {
	mkfifo "$T/in"
	# ctr closes what it forwards when it has the task before the end of its own input.
	(echo abc; sleep 1) >"$T/in" &
	STDIN=$T/in shim_run "$BUSYBOX" "$MARK" --rm -- cat
	ok
	out_is abc
}

@test "a megabyte of output comes out whole" {
	shim_run "$BUSYBOX" "$MARK" --rm -- sh -c 'head -c 1000000 /dev/zero | tr "\0" x'
	ok
	is "$(wc -c <"$T/out")" 1000000
}

@test "the command line sees the container of the shim" {
	shim_run "$BUSYBOX" "$MARK" -d -- sleep 100
	ok
	rt state "$MARK"
	ok
	is "$(jq -r .status "$T/out")" running
	pid=$(jq .pid "$T/out")
	is "$("${CTR[@]}" task ls | awk -v id="$MARK" '$1 == id { print $2 }')" "$pid"
	rt list --format json
	ok
	is "$(jq -c --arg id "$MARK" '.[] | select(.id == $id) | [.pid, .status]' "$T/out")" "[$pid,\"running\"]"
	rt ps --format json "$MARK"
	ok
	has "$T/out" "$pid"
	rt events --stats "$MARK"
	ok
	is "$(jq .data.pids.current "$T/out")" 1
	rt exec "$MARK" echo inside
	ok
	out_is inside
	rt kill "$MARK" KILL
	ok
	eventually 5 stopped
}

@test "kill, then delete: the status is the signal's, and a second delete finds nothing" {
	shim_run "$BUSYBOX" "$MARK" -d -- sleep 100
	ok
	ctr_do task rm "$MARK"
	[ "$rc" -ne 0 ]
	is "$(status_of "$MARK")" RUNNING
	ctr_do task kill -s TERM "$MARK"
	ok
	eventually 5 stopped
	ctr_do task kill "$MARK"
	[ "$rc" -ne 0 ]
	has "$T/err" "process already finished"
	ctr_do task rm "$MARK"
	has "$T/err" 'exit code 143'
	ctr_do task rm "$MARK"
	[ "$rc" -ne 0 ]
}
