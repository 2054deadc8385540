#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Socket activation: LISTEN_FDS of the caller (sd_listen_fds(3)).
load ../lib/harness

# activated N NAMES VERB [ARG]...: starts the runtime as systemd does, with N sockets below $T.
activated() {
	local n=$1 names=$2
	shift 2
	rc=0
	(cd "$T" && timeout 20 "$REPO/tests/lib/systemd.py" activate "$n" "$names" "$RUNTIME" --root "$ROOT" "$@" \
		</dev/null >"$T/out" 2>"$T/err" 3>&-) || rc=$?
}

# ask K: what the K-th socket answers.
ask() {
	python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(10)
s.connect(sys.argv[1])
print(s.recv(100).decode(), end="")' "$T/activated.$1"
}

@test "create: the process serves the sockets, and LISTEN_PID is its number" {
	new_id
	bundle "$T/b" '.process.args = ["probe", "activated"]'
	activated 2 '' create --bundle "$T/b" --pid-file "$T/pid" "$ID"
	ok
	rt start "$ID"
	ok
	is "$(ask 0)" 'served by 3'
	is "$(ask 1)" 'served by 4'
	wait_state "$ID" stopped
}

@test "run: names come along, and the sockets come before preserved descriptors" {
	ours || skip "runc hands no names on"
	new_id
	bundle "$T/b" '.process.args = ["sh", "-c", "cat <&5; exec probe activated"]'
	echo preserved >"$T/file"
	(
		eventually 10 test -S "$T/activated.1"
		ask 0 && ask 1
	) >"$T/asked" 2>&1 3>&- &
	exec 5<"$T/file"
	activated 2 one:two run --preserve-fds 1 --bundle "$T/b" "$ID"
	exec 5<&-
	ok
	wait $!
	is "$(cat "$T/asked")" $'served by 3\nserved by 4'
	out_is $'preserved\nfor me: yes\nfds: 2 names: one:two'
}

@test "another process' LISTEN_PID, and none at all: nothing is handed on" {
	bundle "$T/b" '.process.args = ["sh", "-c", "env | grep LISTEN; ls /proc/self/fd | wc -l; readlink /proc/self/fd/3"]'
	new_id
	LISTEN_PID=1 activated 1 a run --bundle "$T/b" "$ID"
	if grep -E 'LISTEN|socket' "$T/out"; then false; fi
	new_id
	LISTEN_PID='' activated 1 a run --bundle "$T/b" "$ID"
	if grep -E 'LISTEN|socket' "$T/out"; then false; fi
}

@test "what the bundle says of LISTEN_FDS is replaced" {
	ours || skip "runc is pid 1 there"
	new_id
	bundle "$T/b" '.process.args = ["sh", "-c", "env | grep LISTEN_ | sort; echo me=$$"] | .process.env += ["LISTEN_FDS=9", "LISTEN_PID=9"]'
	activated 1 '' run --bundle "$T/b" "$ID"
	ok
	is "$(grep -c LISTEN_ "$T/out")" 2
	has "$T/out" 'LISTEN_FDS=1'
	has "$T/out" "LISTEN_PID=$(sed -n 's/^me=//p' "$T/out")"
}

@test "no process of the runtime holds the sockets" {
	ours || skip "only this runtime promises it"
	new_id
	bundle "$T/b" '.process.args = ["sh", "-c", "exec 3>&-; sleep 100"]'
	activated 1 '' run -d --bundle "$T/b" "$ID"
	ok
	if python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])' "$T/activated.0" 2>"$T/err"; then false; fi
	has "$T/err" 'ConnectionRefusedError'
}

@test "more descriptors than there are is refused" {
	ours || skip "runc hands on whatever is there"
	new_id
	bundle "$T/b"
	rc=0
	LISTEN_FDS=3 bash -c 'LISTEN_PID=$$ exec "$@"' x "$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID" \
		</dev/null >"$T/out" 2>"$T/err" 3>&- 4>&- 5>&- || rc=$?
	fails 'LISTEN_FDS: descriptor 3'
}

@test "an exec'd process is told of no sockets" {
	new_id
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	activated 1 a run -d --bundle "$T/b" "$ID"
	ok
	rt exec "$ID" env
	ok
	if grep LISTEN_ "$T/out"; then false; fi
}

@test "the main process that believes to be 1 reads 1" {
	ours || skip "the annotation is ours"
	new_id
	bundle "$T/b" '.process.args = ["sh", "-c", "echo $$ $LISTEN_PID $LISTEN_FDS"] | .annotations["io.sandlock.process.pid1"] = "true"'
	activated 1 '' run --bundle "$T/b" "$ID"
	ok
	out_is '1 1 1'
}
