#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the sockets of all shims of the machine
# Under containerd with the shim of this runtime: exec, terminals, pause, metrics, and what is left
# when the shim or containerd was killed.
load ../lib/shim

running() {
	shim_run "$BUSYBOX" "$MARK" -d "$@" -- sh -c 'while :; do echo tick; sleep 0.1; done'
	ok
}

exec_in() {
	ctr_do task exec --exec-id "e$RANDOM$RANDOM" "$@"
}

# on_tty COMMAND: under a terminal of 33 rows and 77 columns; ctr stays in its foreground.
on_tty() {
	rc=0
	script -qec "stty rows 33 cols 77; timeout --foreground ${CTR[*]:1} $1" /dev/null \
		>"$T/out" 2>&1 </dev/null || rc=$?
	tr -d '\r' <"$T/out" >"$T/out.unix"
}

stopped() {
	[ "$(status_of "$MARK")" = STOPPED ]
}

@test "task exec gives output, errors and statuses" {
	running
	exec_in "$MARK" sh -c 'echo out; echo err >&2; exit 7'
	is "$rc" 7
	out_is out
	has "$T/err" err
	exec_in "$MARK" nosuch
	[ "$rc" -ne 0 ]
	exec_in --cwd /tmp --user 1000:1000 "$MARK" sh -c 'pwd; id -u'
	ok
	is "$(tr '\n' ' ' <"$T/out")" "/tmp 1000 "
}

@test "attach: what the container writes from then on, and again after a client that went" {
	mkdir "$T/fifo"
	running --fifo-dir "$T/fifo"
	# ctr sends the task any other signal that it gets.
	for _ in 1 2; do
		timeout -s KILL 3 "${CTR[@]:4}" task attach "$MARK" >"$T/out" 2>"$T/err" </dev/null 3>&- || true
		has "$T/out" tick
		is "$(status_of "$MARK")" RUNNING
	done
}

@test "the input of an exec comes in, and its end" {
	running
	mkfifo "$T/in"
	(echo abc; sleep 0.5) >"$T/in" &
	STDIN=$T/in exec_in "$MARK" cat
	ok
	out_is abc
}

@test "a terminal has its size, for the container and for an exec" {
	on_tty "run --rm -t --runtime io.containerd.sandlock.v1 --env SANDLOCK_TEST_MARK=$MARK \
		$BUSYBOX $MARK sh -c 'sleep 0.5; stty size; tty'"
	is "$rc" 0
	has "$T/out.unix" '33 77'
	has "$T/out.unix" /dev/pts/0
	running
	on_tty "task exec -t --exec-id e1 $MARK sh -c 'sleep 0.5; stty size; exit 4'"
	is "$rc" 4
	has "$T/out.unix" '33 77'
}

@test "pause and resume" {
	running
	ctr_do task pause "$MARK"
	ok
	is "$(status_of "$MARK")" PAUSED
	exec_in "$MARK" true
	[ "$rc" -ne 0 ]
	has "$T/err" 'cannot exec in a paused container'
	ctr_do task resume "$MARK"
	ok
	is "$(status_of "$MARK")" RUNNING
}

@test "metrics are the container's own" {
	shim_run "$BUSYBOX" "$MARK" -d -- sh -c 'while :; do :; done'
	ok
	enough() {
		ctr_do task metrics --format json "$MARK" && [ "$(jq .cpu.usage_usec "$T/out")" -gt 50000 ]
	}
	eventually 20 enough
	is "$(jq .pids.current "$T/out")" 1
	[ "$(jq .cpu.usage_usec "$T/out")" -lt 10000000 ]
	[ "$(jq .memory.usage "$T/out")" -lt 50000000 ]
}

@test "a task that lacked memory: the event, the status, the metrics of the stopped task" {
	"${CTR[@]}" events >"$T/events" 2>&1 3>&- 4>&- &
	events=$!
	sleep 0.5
	shim_run "$BUSYBOX" "$MARK" -d --memory-limit 16777216 -- \
		sh -c 'sleep 0.5; x=$(head -c 60000000 /dev/zero | tr "\\0" x); echo "${#x}"'
	ok
	eventually 10 stopped
	ctr_do task metrics --format json "$MARK"
	ok
	json '.memory.usage_limit == 16777216 and .memory_events.oom_kill >= 1' "$T/out"
	eventually 5 has "$T/events" /tasks/oom
	has "$T/events" '"exit_status":137'
	kill "$events"
}

@test "the shim is killed: containerd says so, and cleans up" {
	running
	kill -9 "$(shim_pid)"
	runs_no_more() { [ "$(status_of "$MARK")" != RUNNING ]; }
	eventually 10 runs_no_more
	eventually 5 no_shims
	is "$(ls "$ROOT")" ""
}

@test "containerd is killed and comes back: the container runs, its end is told" {
	running
	ctr_do task exec -d --exec-id e1 "$MARK" sleep 1
	ok
	kill -9 "$CONTAINERD_PID"
	containerd_start "$CD" 4>&-
	echo "$CONTAINERD_PID" >"$CD/pid"
	is "$(status_of "$MARK")" RUNNING
	exec_in "$MARK" echo again
	ok
	out_is again
	ctr_do task kill -s KILL "$MARK"
	ok
	eventually 5 stopped
	ctr_do task rm "$MARK"
	has "$T/err" 'exit code 137'
}
