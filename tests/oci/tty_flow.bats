#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The two directions of a terminal do not block each other: input that nobody reads does not stop the
# output, and a client that reads nothing stops neither a signal nor the end of the process.
load ../lib/harness

# on_tty [option]... -- COMMAND...: output in $T/out, status in $rc.
on_tty() {
	rc=0
	"$REPO/conformance/lib/on_tty.py" "$@" >"$T/raw" 2>"$T/err" </dev/null 3>&- || rc=$?
	tr -d '\r' <"$T/raw" >"$T/out"
}

# It says ready, is pasted at, writes 1 MB before it reads any of the paste.
BOTH_WAYS='stty raw -echo; echo ready; sleep 2; head -c 1000000 /dev/zero | tr "\0" w; n=$(head -c 100000 | tr -dc p | wc -c); echo " took $n"'

# It says ready, is typed at, and then writes for ever.
WRITER='echo ready; read -r x; exec yes'

both_ways() {
	on_tty --paste 100000 -- "$@"
	is "$rc" 0
	is "$(tr -dc w <"$T/out" | wc -c)" 1000000
	has "$T/out" 'took 100000'
}

@test "exec -t: 1 MB of output while 100 KB are pasted" {
	started 'sleep 100'
	both_ways "$RUNTIME" --root "$ROOT" exec -t "$ID" sh -c "$BOTH_WAYS"
}

@test "run of a terminal: 1 MB of output while 100 KB are pasted" {
	bundle "$T/b" '.process.terminal = true'
	jq --arg s "$BOTH_WAYS" '.process.args = ["sh", "-c", $s]' "$T/b/config.json" >"$T/b/c"
	mv "$T/b/c" "$T/b/config.json"
	new_id
	both_ways "$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID"
}

# deaf STATUS COMMAND...: the command, on a terminal that nobody reads, ends in time when $act is done.
deaf() {
	local want=$1
	shift
	(
		sleep 4
		act
	) </dev/null >"$T/act" 2>&1 3>&- &
	on_tty --type '\n' --deaf 12 -- "$@"
	wait $!
	is "$rc" "$want"
}

# The process behind on_tty.py, by its mark and its command line.
client() {
	local p
	for p in $(marked); do
		[[ $(tr '\0' ' ' <"/proc/$p/cmdline") != "$RUNTIME"*"$1"* ]] || echo "$p"
	done
}

@test "exec -t whose terminal nobody reads ends when the process is killed" {
	ours || skip "runc waits for the reader for ever"
	started 'sleep 100'
	act() { "$RUNTIME" --root "$ROOT" exec "$ID" killall -9 yes; }
	deaf 137 "$RUNTIME" --root "$ROOT" exec -t "$ID" sh -c "$WRITER"
	is "$(state_word "$ID")" running
}

@test "exec -t whose terminal nobody reads forwards SIGTERM" {
	ours || skip "runc waits for the reader for ever"
	started 'sleep 100'
	act() { kill -TERM "$(client exec)"; }
	deaf 143 "$RUNTIME" --root "$ROOT" exec -t "$ID" sh -c "$WRITER"
	is "$(state_word "$ID")" running
}

@test "run whose terminal nobody reads ends with kill KILL" {
	ours || skip "runc waits for the reader for ever"
	bundle "$T/b" '.process.terminal = true'
	jq --arg s "$WRITER" '.process.args = ["sh", "-c", $s]' "$T/b/config.json" >"$T/b/c"
	mv "$T/b/c" "$T/b/config.json"
	new_id
	act() { "$RUNTIME" --root "$ROOT" kill "$ID" KILL; }
	deaf 137 "$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID"
}

@test "a reader who goes away hangs the terminal up" {
	ours || skip "runc needs a terminal of its own"
	started 'sleep 100'
	rc=0
	timeout 15 "$RUNTIME" --root "$ROOT" exec -t "$ID" yes 2>"$T/err" </dev/null 3>&- | head -1 >"$T/out" || rc=$?
	has "$T/out" y
	rt exec "$ID" ps
	if grep yes "$T/out"; then false; fi
	is "$(state_word "$ID")" running
}

@test "what is left running on the terminal does not keep the caller" {
	ours || skip "runc passes its output on for ever"
	started 'sleep 100'
	on_tty -- "$RUNTIME" --root "$ROOT" exec -t "$ID" sh -c 'trap "" HUP; yes & sleep 1; exit 4'
	is "$rc" 4
}

@test "the caller's own stdout keeps its flags" {
	ours || skip "runc needs a terminal of its own"
	started 'sleep 100'
	mkfifo "$T/p"
	cat "$T/p" >"$T/out" 3>&- &
	python3 - "$T/p" "$RUNTIME" --root "$ROOT" exec -t "$ID" true <<-'EOF'
		import fcntl, os, socket, subprocess, sys
		pipe = os.open(sys.argv[1], os.O_WRONLY)
		ours, theirs = socket.socketpair()
		for fd in pipe, theirs.fileno():
		    before = fcntl.fcntl(fd, fcntl.F_GETFL)
		    subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=fd, check=True, timeout=20)
		    assert fcntl.fcntl(fd, fcntl.F_GETFL) == before
	EOF
	wait $!
}

@test "output that cannot be written is an error, not silence" {
	ours || skip "runc goes on and says nothing"
	started 'sleep 100'
	rc=0
	timeout 15 "$RUNTIME" --root "$ROOT" exec -t "$ID" sh -c 'seq 100000; sleep 5' >/dev/full 2>"$T/err" </dev/null 3>&- || rc=$?
	: >"$T/out"
	fails "write the terminal's output: No space left on device" 255
}
