#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the sockets of all shims of the machine
# Under containerd: exec with and without a terminal, its size, attach, pause and resume.
load ../lib/ctr

running() {
	ctr_run "$BUSYBOX" "$MARK" -d "$@" -- sh -c 'while :; do echo tick; sleep 0.1; done'
	ok
}

# exec_in ARGS...: ctr task exec, output and status kept.
exec_in() {
	rc=0
	"${CTR[@]}" task exec --exec-id "e$RANDOM$RANDOM" "$@" >"$T/out" 2>"$T/err" </dev/null || rc=$?
}

# ctr whose limit leaves it in the foreground of its terminal: a plain timeout(1) makes a process
# group of its own, and ctr would be stopped at its first tcsetattr.
ctr_on_tty() {
	echo "timeout --foreground ${CTR[*]:1}"
}

# on_tty COMMAND: under a terminal of 33 rows and 77 columns.
on_tty() {
	rc=0
	script -qec "stty rows 33 cols 77; $1" /dev/null >"$T/out" 2>&1 </dev/null || rc=$?
	tr -d '\r' <"$T/out" >"$T/out.unix"
}

@test "task exec gives output, errors and statuses" {
	running
	exec_in "$MARK" sh -c 'echo out; echo err >&2; exit 7'
	is "$rc" 7
	out_is out
	has "$T/err" err
	exec_in "$MARK" sh -c 'kill -9 $$'
	is "$rc" 137
	exec_in "$MARK" nosuch
	[ "$rc" -ne 0 ]
	has "$T/err" 'executable file not found in $PATH'
}

@test "task exec sees the container's processes" {
	running
	exec_in "$MARK" ps
	is "$rc" 0
	has "$T/out" tick
	if grep -q containerd-shim "$T/out"; then false; fi
}

@test "task exec with a terminal of the caller's size" {
	running
	on_tty "$(ctr_on_tty) task exec -t --exec-id tty1 $MARK sh -c 'sleep 0.5; tty; stty size'"
	is "$rc" 0
	has "$T/out.unix" /dev/pts/
	has "$T/out.unix" '33 77'
}

@test "run with a terminal" {
	on_tty "$(ctr_on_tty) run --rm -t --runc-binary $RUNTIME --runc-root $RUNC_ROOT $BUSYBOX $MARK sh -c 'tty; exit 3'"
	is "$rc" 3
	has "$T/out.unix" /dev/pts/
}

@test "attach to a task that was started detached" {
	mkdir "$T/fifo"
	running --fifo-dir "$T/fifo"
	timeout 3 "${CTR[@]}" task attach "$MARK" >"$T/out" 2>"$T/err" </dev/null || true
	has "$T/out" tick
}

@test "pause stops every process, exec is refused meanwhile, resume lets them go on" {
	running
	"${CTR[@]}" task pause "$MARK"
	"${CTR[@]}" task ls | grep -E "^$MARK +[0-9]+ +PAUSED"
	exec_in "$MARK" true
	[ "$rc" -ne 0 ]
	has "$T/err" paused
	"${CTR[@]}" task resume "$MARK"
	"${CTR[@]}" task ls | grep -E "^$MARK +[0-9]+ +RUNNING"
	exec_in "$MARK" true
	is "$rc" 0
}

@test "task ps lists the tracked process, which exec is which, and the members" {
	running
	"${CTR[@]}" task exec -d --exec-id known "$MARK" sleep 100
	"${CTR[@]}" task ps "$MARK" >"$T/out"
	[ "$(wc -l <"$T/out")" -ge 5 ]
	pid=$("${CTR[@]}" task ls | awk -v id="$MARK" '$1 == id { print $2 }')
	grep -E "^$pid " "$T/out"
	is "$(grep -c known "$T/out")" 1
}
