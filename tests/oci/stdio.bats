#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# stdio: the container gets the caller's descriptors, and no process of the runtime keeps them,
# because a copy would make the reader wait for ever.
load ../lib/harness

# Creates $ID with pipes whose other ends are fifos of the test.
piped() {
	new_id
	bundle "$T/$ID" "$1"
	mkfifo "$T/in" "$T/outp" "$T/errp"
	cat "$T/outp" >"$T/stdout" 3>&- &
	OUT_READER=$!
	cat "$T/errp" >"$T/stderr" 3>&- &
	ERR_READER=$!
	rc=0
	timeout 20 "$RUNTIME" --root "$ROOT" create --bundle "$T/$ID" --pid-file "$T/$ID.pid" "$ID" \
		<"${2:-/dev/null}" >"$T/outp" 2>"$T/errp" 3>&- || rc=$?
	is "$rc" 0
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

@test "readers get end of file within 100 ms of the end" {
	piped '.process.args = ["sh", "-c", "echo x; sleep 0.5"]'
	rt start "$ID"
	ok
	sleep 0.2
	kill -0 "$OUT_READER"
	local end
	while [ -e "/proc/$(cat "$T/$ID.pid")" ] && ! grep -q 'State:.Z' "/proc/$(cat "$T/$ID.pid")/status"; do
		sleep 0.01
	done 2>/dev/null
	end=$(now_ms)
	while ! gone "$OUT_READER" || ! gone "$ERR_READER"; do
		sleep 0.01
		[ $(($(now_ms) - end)) -lt 100 ]
	done
	is "$(cat "$T/stdout")" x
}

@test "a reader sees end of file when the workload closes its stdout early" {
	piped '.process.args = ["sh", "-c", "echo x; exec >&- 2>&-; sleep 100"]'
	rt start "$ID"
	ok
	eventually 2 gone "$OUT_READER"
	eventually 2 gone "$ERR_READER"
	is "$(state_word "$ID")" running
}

@test "the workload sees end of file on stdin when the writer closes" {
	new_id
	bundle "$T/$ID" '.process.args = ["cat"]'
	mkfifo "$T/in"
	sleep 100 >"$T/in" 3>&- &
	local holder=$!
	STDIN=$T/in create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
	sleep 0.2
	is "$(state_word "$ID")" running
	kill "$holder"
	wait_state "$ID" stopped 2
}

@test "no process of the runtime holds the container's pipes" {
	ours || skip "only this runtime promises it"
	piped '.process.args = ["sleep", "100"]'
	rt start "$ID"
	ok
	local p
	for p in $(pid_of "$ID") $(init_of "$ID"); do
		if ls -l "/proc/$p/fd" | grep -E "outp|errp|pipe:.*($(stat -Lc %i "/proc/$OUT_READER/fd/0"))"; then
			echo "held by $p"
			false
		fi
	done
}

@test "binary data passes unchanged" {
	head -c 3000000 /dev/urandom >"$T/in"
	bundle "$T/b" '.process.args = ["cat"]'
	STDIN=$T/in run_bundle "$T/b"
	ok
	cmp "$T/in" "$T/out"
}

@test "a user can open /dev/stdout and /dev/stderr again: pipe, file, /dev/null" {
	piped '.process.user = {uid: 1000, gid: 1000} |
		.process.args = ["sh", "-c", "echo x >/dev/stdout && echo y >/dev/stderr"]'
	rt start "$ID"
	ok
	eventually 2 gone "$OUT_READER"
	is "$(cat "$T/stdout")$(cat "$T/stderr")" xy

	sh_in 'echo x >>/dev/stdout && echo y >>/dev/stderr' '.process.user = {uid: 1000, gid: 1000}'
	out_is x
	is "$(cat "$T/err")" y

	bundle "$T/b" '.process.user = {uid: 1000, gid: 1000} |
		.process.args = ["sh", "-c", "echo x >/dev/stdout && echo y >/dev/stderr"]'
	new_id
	timeout 20 "$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID" </dev/null >/dev/null 2>/dev/null 3>&-
	is "$(stat -c %u /dev/null)" 0
}

@test "a directory as stdio is refused" {
	ours || skip "runc passes it"
	bundle "$T/b" '.process.args = ["true"]'
	new_id
	rc=0
	timeout 20 "$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID" </etc >"$T/out" 2>"$T/err" 3>&- || rc=$?
	[ "$rc" -ne 0 ]
	grep -qi 'directory' "$T/err"
	assert_nothing_left
}

@test "closed stdio works: nothing of ours lands on 0, 1 or 2" {
	bundle "$T/b" '.process.args = ["sh", "-c", "for n in 0 1 2; do readlink /proc/self/fd/$n; done >/tmp/links"]'
	new_id
	rc=0
	timeout 20 "$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID" <&- >&- 2>&- 3>&- || rc=$?
	is "$rc" 0
	is "$(wc -l <"$T/b/rootfs/tmp/links")" 3
	if grep -vE '^(/dev/null|/tmp/links)$' "$T/b/rootfs/tmp/links"; then false; fi
}

@test "exec: /dev/null and pipes can be opened again, whatever the container was created with" {
	new_id
	bundle "$T/$ID" '.process.args = ["sleep", "100"]'
	rc=0
	true | timeout 20 "$RUNTIME" --root "$ROOT" create --bundle "$T/$ID" "$ID" >"$T/out" 2>"$T/err" 3>&- || rc=$?
	ok
	rt start "$ID"
	ok
	timeout 20 "$RUNTIME" --root "$ROOT" exec "$ID" sh -c 'cat /dev/stdin && echo x >/dev/stdout && echo x >/dev/stderr' \
		</dev/null >/dev/null 2>/dev/null 3>&-
	is "$(echo piped | timeout 20 "$RUNTIME" --root "$ROOT" exec "$ID" cat /dev/stdin 3>&- | cat)" piped
}

@test "exec: a file of the host is used in its place, is not opened again, and the log says so" {
	started 'sleep 100'
	printf 'one\ntwo\n' >"$T/file"
	RT_GLOBALS=(--log "$T/log")
	{
		rt_to_file cat
		echo behind
	} <"$T/file" >"$T/written" 2>"$T/err"
	is "$(cat "$T/written")" $'one\ntwo\nbehind'
	ours || return 0
	has "$T/log" 'stdin is a file of the host'
	has "$T/log" 'stdout is a file of the host'
	rt_to_file cat /dev/stdin <"$T/file" >"$T/written" 2>"$T/err" && false
	has "$T/err" 'Permission denied'
}

# The exec's stdio are the caller's.
rt_to_file() {
	timeout 20 "$RUNTIME" --root "$ROOT" "${RT_GLOBALS[@]}" exec "$ID" "$@" 3>&-
}
