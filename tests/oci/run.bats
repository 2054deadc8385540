#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# run: create, start, wait, delete; the caller's status is the process's.
load ../lib/harness

@test "run gives the output and leaves nothing" {
	sh_in 'echo out; echo err >&2'
	out_is out
	is "$(cat "$T/err")" err
	rt state "$ID"
	fails 'does not exist'
}

@test "run passes stdin through" {
	bundle "$T/b" '.process.args = ["cat"]'
	printf 'one\ntwo\n' >"$T/in"
	STDIN=$T/in run_bundle "$T/b"
	ok
	is "$(cat "$T/out")" "$(printf 'one\ntwo')"
}

@test "run ends with the process's exit code" {
	local code
	for code in 1 42 255; do
		bundle "$T/b" ".process.args = [\"sh\", \"-c\", \"exit $code\"]"
		run_bundle "$T/b"
		is "$rc" "$code"
	done
}

@test "run ends with 128 plus the signal" {
	ours || skip "pid 1 of a namespace is immune"
	bundle "$T/b" '.process.args = ["probe", "die", "9"]'
	run_bundle "$T/b"
	is "$rc" 137
}

@test "run --detach comes back at once and keeps the container" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	run_bundle "$T/b" --detach --pid-file "$T/pid"
	ok
	is "$(state_word "$ID")" running
	is "$(pid_of "$ID")" "$(cat "$T/pid")"
}

@test "run --keep keeps the stopped container" {
	ours || skip "newer than this runc"
	bundle "$T/b" '.process.args = ["true"]'
	run_bundle "$T/b" --keep
	ok
	is "$(state_word "$ID")" stopped
	rt delete "$ID"
	ok
}

@test "run in the foreground is the tracked process, in its caller's group; killed, it takes the container along" {
	ours || skip "runc leaves the container behind"
	bundle "$T/b" '.process.args = ["sh", "-c", "setsid sleep 31360 & exec sleep 31360"]'
	new_id
	"$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID" </dev/null >"$T/out" 2>"$T/err" 3>&- &
	local p=$! status=0
	wait_state "$ID" running
	is "$(pid_of "$ID")" "$p"
	is "$(ps -o pgid= -p "$p" | tr -d ' ')" "$(ps -o pgid= -p $$ | tr -d ' ')"
	kill -9 "$p"
	wait "$p" || status=$?
	is "$status" 137
	wait_state "$ID" stopped
	is "$(marked)" ""
	rt delete "$ID"
	ok
	assert_nothing_left
}

@test "run forwards a signal to the process" {
	bundle "$T/b" '.process.args = ["sh", "-c", "trap \"echo got; exit 9\" TERM; echo ready; while :; do sleep 0.05; done"]'
	new_id
	"$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID" </dev/null >"$T/out" 2>"$T/err" 3>&- &
	local p=$! status=0
	eventually 5 grep -q ready "$T/out"
	kill -TERM "$p"
	wait "$p" || status=$?
	is "$status" 9
	has "$T/out" got
}

@test "run as the first process of a pid namespace" {
	bundle "$T/b" '.process.args = ["sh", "-c", "echo inside; exit 7"]'
	new_id
	rc=0
	unshare -m -p -f --propagation private --mount-proc \
		"$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID" >"$T/out" 2>"$T/err" </dev/null 3>&- || rc=$?
	is "$rc" 7
	out_is inside
	[ ! -e "$ROOT/$ID" ]
}
