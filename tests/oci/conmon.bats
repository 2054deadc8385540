#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A caller like conmon: a sub-reaper with pipes, one read of
# stderr, the bytes of the pid-file, waitpid of exactly that pid, a strict console socket.
load ../lib/harness

# conmon [option]... -- VERB...: leaves the report in $T/r.
conmon() {
	local opts=()
	while [ "$1" != -- ]; do opts+=("$1"); shift; done
	shift
	rc=0
	timeout -k 5 60 "$HARNESS_DIR/fake_conmon.py" "$T/r" "${opts[@]}" -- "$RUNTIME" --root "$ROOT" "$@" \
		</dev/null >"$T/out" 2>"$T/err" 3>&- || rc=$?
	if [ "$rc" -ne 0 ]; then
		cat "$T/r" "$T/err"
	fi
}

seen() {
	jq -r "$1" "$T/r"
}

# a_bundle SCRIPT [JQ]
a_bundle() {
	new_id
	bundle "$T/$ID" "${2:-.}"
	jq --arg s "$1" '.process.args = ["sh", "-c", $s]' "$T/$ID/config.json" >"$T/c"
	mv "$T/c" "$T/$ID/config.json"
}

@test "create and start: output, status, the end of the pipes" {
	a_bundle 'echo out; echo err >&2; exit 3'
	conmon -- create --bundle "$T/$ID" "$ID"
	ok
	is "$(seen '.stdout + .stderr')" "$(printf 'out\nerr')"
	is "$(seen '"\(.wait) \(.own_group)"')" "3 true"
	[ "$(seen .eof_after_ms)" -lt 100 ]
}

@test "the wait status is the workload's: 0, 1, 255, KILL, SEGV, TERM" {
	local how
	for how in 'exit 0=0' 'exit 1=1' 'exit 255=255' 'kill -KILL $$=-9' 'kill -SEGV $$=-11' 'kill -TERM $$=-15'; do
		a_bundle "${how%=*}"
		conmon -- create --bundle "$T/$ID" "$ID"
		ok
		is "${how%=*}: $(seen .wait)" "${how%=*}: ${how#*=}"
		rt delete "$ID"
	done
}

@test "signals sent to the tracked pid reach the workload" {
	a_bundle 'trap "exit 9" TERM; while :; do sleep 0.05; done'
	conmon --signal TERM -- create --bundle "$T/$ID" "$ID"
	ok
	is "$(seen .wait)" 9
}

@test "SIGKILL of the tracked pid ends everything, and the pipes with it" {
	a_bundle 'setsid sleep 100 & sleep 100'
	conmon --signal KILL -- create --bundle "$T/$ID" "$ID"
	ok
	is "$(seen .wait)" -9
	[ "$(seen .eof_after_ms)" -lt 1000 ]
	assert_no_process_but_state
}

# What is left of a killed container is its state directory, until delete.
assert_no_process_but_state() {
	rt delete --force "$ID"
	ok
	assert_no_process
}

@test "a background child does not keep the pipes after the end" {
	a_bundle 'sleep 100 & (setsid sleep 100 &); exit 4'
	conmon -- create --bundle "$T/$ID" "$ID"
	ok
	is "$(seen .wait)" 4
	[ "$(seen .eof_after_ms)" -lt 100 ]
}

@test "the workload closes stdout early: the reader has the end while it runs" {
	a_bundle 'echo x; exec >&- 2>&-; sleep 1; exit 6'
	conmon -- create --bundle "$T/$ID" "$ID"
	ok
	is "$(seen '"\(.wait) \(.stdout)"')" "6 x"
}

@test "stdin: data and its end" {
	a_bundle 'cat; echo end'
	conmon --stdin 'a\nb\n' -- create --bundle "$T/$ID" "$ID"
	ok
	is "$(seen .stdout)" "$(printf 'a\nb\nend')"
}

@test "a create that fails: the reason in the first read of stderr, no pid-file, nothing left" {
	a_bundle true '.process.args = ["/no/such"]'
	jq '.process.args = ["/no/such"]' "$T/$ID/config.json" >"$T/c"
	mv "$T/c" "$T/$ID/config.json"
	conmon -- create --bundle "$T/$ID" "$ID"
	ok
	is "$(seen '"\(.runtime_status) \(.pid_file)"')" "1 false"
	seen .stderr_once | grep -q 'no such file or directory'
}

@test "a terminal: one message with one descriptor, the size set before" {
	a_bundle 'stty size; tty; echo x >/dev/console' '.process.terminal = true |
		.process.consoleSize = {height: 10, width: 110}'
	conmon --terminal -- create --bundle "$T/$ID" "$ID"
	ok
	is "$(seen '"\(.console.size) \(.console.fds)"')" "10x110 1"
	is "$(seen .stdout | tr -d '\r')" "$(printf '10 110\n/dev/pts/0\nx')"
}

@test "a terminal: typing, the foreground group's signals, a later resize" {
	a_bundle 'trap "stty size; exit 5" WINCH; read a; echo "got $a"; while :; do sleep 0.05; done' \
		'.process.terminal = true'
	conmon --terminal --type 'word\n' --size 44x100 -- create --bundle "$T/$ID" "$ID"
	ok
	is "$(seen .wait)" 5
	seen .stdout | grep -q 'got word'
	seen .stdout | grep -q '^44 100'
}

@test "a terminal: Ctrl-C is SIGINT of the foreground group" {
	a_bundle 'trap "exit 12" INT; while :; do sleep 0.05; done' '.process.terminal = true'
	conmon --terminal --type '\x03' -- create --bundle "$T/$ID" "$ID"
	ok
	is "$(seen .wait)" 12
}

@test "exec: output, status, the end of the pipes" {
	started 'sleep 100'
	echo '{"cwd": "/", "user": {"uid": 0, "gid": 0}, "env": ["PATH=/bin"], "args": ["sh", "-c", "echo o; echo e >&2; exit 7"]}' >"$T/p.json"
	conmon -- exec --process "$T/p.json" "$ID"
	ok
	is "$(seen '"\(.wait) \(.own_group) \(.stdout + .stderr)"')" "$(printf '7 true o\ne')"
	[ "$(seen .eof_after_ms)" -lt 100 ]
}

@test "exec: TERM and KILL of the pid-file's pid end the process" {
	local sig
	started 'sleep 100'
	echo '{"cwd": "/", "user": {"uid": 0, "gid": 0}, "env": ["PATH=/bin"], "args": ["sleep", "4711"]}' >"$T/p.json"
	for sig in TERM=-15 KILL=-9; do
		conmon --signal "${sig%=*}" -- exec --process "$T/p.json" "$ID"
		ok
		is "$(seen .wait)" "${sig#*=}"
		[ "$(seen .eof_after_ms)" -lt 100 ]
		if pgrep -f 'sleep 4711'; then false; fi
	done
	is "$(state_word "$ID")" running
}

@test "exec: what cannot start leaves no pid-file and gives 255" {
	started 'sleep 100'
	echo '{"cwd": "/", "user": {"uid": 0, "gid": 0}, "env": ["PATH=/bin"], "args": ["nothing-here"]}' >"$T/p.json"
	conmon -- exec --process "$T/p.json" "$ID"
	ok
	is "$(seen '"\(.runtime_status) \(.pid_file)"')" "255 false"
	seen .stderr_once | grep -qF 'executable file not found in $PATH'
}

@test "exec with a terminal: size, name, status" {
	started 'sleep 100'
	echo '{"terminal": true, "consoleSize": {"height": 33, "width": 77}, "cwd": "/", "user": {"uid": 0, "gid": 0}, "env": ["PATH=/bin:/usr/bin"], "args": ["sh", "-c", "stty size; tty; exit 2"]}' >"$T/p.json"
	conmon --terminal -- exec --process "$T/p.json" "$ID"
	ok
	is "$(seen '"\(.wait) \(.console.size)"')" "2 33x77"
	is "$(seen .stdout | tr -d '\r')" "$(printf '33 77\n/dev/pts/0')"
}

@test "a pidfd is the pid-file's process, for create and for exec" {
	a_bundle 'sleep 0.5'
	conmon --pidfd -- create --bundle "$T/$ID" "$ID"
	ok
	started 'sleep 100'
	echo '{"cwd": "/", "user": {"uid": 0, "gid": 0}, "env": ["PATH=/bin"], "args": ["sleep", "0.5"]}' >"$T/p.json"
	conmon --pidfd -- exec --process "$T/p.json" "$ID"
	ok
}
