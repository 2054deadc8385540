#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# NOTIFY_SOCKET of the caller: READY of the container reaches it, with the tracked process, and
# nothing else does (sd_notify(3); runc 1.1.5 is the control arm where it does not hang).
load ../lib/harness
load ../lib/notify

# is_ready: READY of the container has arrived, and no other message.
is_ready() {
	heard "'READY=1\\n'" "'MAINPID=$(cat "$T/$ID.pid")\\n'"
}

@test "create and start: start waits for READY, and the socket is the container's own" {
	listen
	created 'sleep 1; probe notify STATUS=a READY=1 STATUS=b; sleep 100'
	local before
	before=$(now_ms)
	rt start "$ID"
	ok
	[ $(($(now_ms) - before)) -ge 900 ]
	heard "'READY=1\\n'" "'MAINPID=$(pid_of "$ID")\\n'"
	rt exec "$ID" sh -c 'cat /proc/1/environ 2>/dev/null | tr "\0" "\n" | grep NOTIFY; stat -c "%a %F" /run/notify/notify.sock; touch /run/notify/x'
	[ "$rc" -ne 0 ]
	has "$T/out" '777 socket'
	has "$T/err" 'Read-only file system'
}

@test "a user who is not root says it, under any umask of the caller's" {
	listen
	new_id
	bundle "$T/b" '.process.user = {uid: 1000, gid: 1000} | .process.args = ["probe", "notify", "READY=1"]'
	! ours || umask 077 # with runc its directory would be root's alone
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	is_ready
	is "$(cat "$T/$ID.out")" ok
}

@test "READY among other lines, and the barrier of systemd-notify" {
	ours || skip "runc 1.1.5 looks at the first line only"
	listen
	started 'exec probe notify "STATUS=up
READY=1
WATCHDOG=1" barrier'
	wait_state "$ID" stopped
	is_ready
	is "$(cat "$T/$ID.out")" ok
}

@test "run in the background waits for READY; in the foreground it does not delay the end" {
	ours || skip "runc run does not end before READY"
	listen
	bundle "$T/b" '.process.args = ["sh", "-c", "sleep 1; exec probe notify READY=1"]'
	new_id
	rt run --bundle "$T/b" -d --pid-file "$T/pid" "$ID"
	ok
	heard "'READY=1\\n'" "'MAINPID=$(cat "$T/pid")\\n'"
	sed -i 2,9d "$T/heard"
	bundle "$T/b" '.process.args = ["sh", "-c", "probe notify READY=1 barrier; exit 3"]'
	run_bundle "$T/b"
	is "$rc" 3
	is "$(cat "$T/out")" ok
	sh_in 'true'
}

@test "a container that ends without READY ends start" {
	listen
	started 'exit 4'
	heard ''
}

@test "other verbs work while start waits" {
	listen
	created 'sleep 100'
	"$RUNTIME" --root "$ROOT" start "$ID" >"$T/start" 2>&1 </dev/null 3>&- &
	local waiter=$!
	wait_state "$ID" running
	rt exec "$ID" true
	ok
	rt kill "$ID" KILL
	ok
	wait "$waiter"
	rt delete "$ID"
	ok
}

@test "an abstract name of the caller's" {
	listen "@sandlock-test-$$-$RANDOM"
	started 'exec probe notify READY=1'
	is_ready
}

@test "with network rules" {
	ours || skip "rules are ours"
	listen
	started 'exec probe notify READY=1' '.annotations["io.sandlock.network.deny"] = "192.0.2.0/24; udp://198.51.100.0/24"'
	is_ready
	is "$(cat "$T/$ID.out")" ok
}

@test "nobody listens at the caller's socket: a warning, the container runs" {
	ours || skip "runc start fails, and the container runs"
	export NOTIFY_SOCKET=$T/nobody.sock
	started 'probe notify READY=1; sleep 100'
	has "$T/err" 'warning: NOTIFY_SOCKET: tell'
	is "$(state_word "$ID")" running
}

@test "the variable at start only is refused, and start without it works" {
	created 'sleep 100'
	NOTIFY_SOCKET=$T/host.sock rt start "$ID"
	[ "$rc" -ne 0 ]
	is "$(state_word "$ID")" created
	rt start "$ID"
	ok
}

@test "a relative state root" {
	listen
	cd "$T"
	ROOT=root
	started 'exec probe notify READY=1'
	is_ready
}

@test "an exec'd process is told of no socket" {
	listen
	started 'probe notify READY=1; sleep 100'
	rt exec "$ID" env
	ok
	if grep NOTIFY_SOCKET "$T/out"; then false; fi
}

@test "a container that never stops talking holds nobody, before READY and after it" {
	ours || skip "runc run does not end before READY"
	listen
	created 'while :; do probe notify STATUS=a STATUS=b STATUS=c; done & sleep 0.5; probe notify READY=1; sleep 100'
	local before
	before=$(now_ms)
	rt start "$ID"
	ok
	[ $(($(now_ms) - before)) -lt 6000 ]
	heard "'READY=1\\n'" "'MAINPID=$(pid_of "$ID")\\n'"
	rt kill "$ID" KILL
	ok
	wait_state "$ID" stopped
}
