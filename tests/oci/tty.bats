#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `run` and `exec` with a terminal in the foreground, started at a terminal.
load ../lib/harness

# on_tty [option]... -- COMMAND...: output in $T/out, status in $rc.
on_tty() {
	rc=0
	"$REPO/conformance/lib/on_tty.py" "$@" >"$T/raw" 2>"$T/err" </dev/null 3>&- || rc=$?
	tr -d '\r' <"$T/raw" >"$T/out"
}

# shell [JQ]: a bundle whose process is a shell on a terminal.
shell() {
	bundle "$T/b" ".process.terminal = true | .process.args = [\"sh\"] | .process.env += [\"PS1=> \"] | ${1:-.}"
	new_id
	RUN=("$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID")
}

@test "size, name, console, status" {
	shell
	on_tty --size 33x99 --type 'stty size; tty; echo x >/dev/console; exit 7\n' -- "${RUN[@]}"
	is "$rc" 7
	has "$T/out" '33 99'
	has "$T/out" '/dev/pts/0'
	grep -qx x "$T/out"
}

@test "the terminal's size wins over consoleSize of the bundle" {
	shell '.process.consoleSize = {height: 10, width: 20}'
	on_tty --size 33x99 --type 'stty size; exit\n' -- "${RUN[@]}"
	has "$T/out" '33 99'
}

@test "a resize reaches the container" {
	shell
	on_tty --size 20x50 --resize 44x111 --type '\n' --type 'stty size; exit\n' -- "${RUN[@]}"
	has "$T/out" '44 111'
}

@test "Ctrl-C, Ctrl-Z and fg are the shell's" {
	shell
	on_tty --type 'sleep 100\n' --type '\x03' --type 'sleep 101\n' --type '\x1a' \
		--type 'jobs; fg\n' --type '\x03' --type 'exit 5\n' -- "${RUN[@]}"
	is "$rc" 5
	has "$T/out" 'Stopped'
}

@test "Ctrl-D ends the shell" {
	shell
	on_tty --type 'true\n' --type '\x04' -- "${RUN[@]}"
	is "$rc" 0
}

@test "the caller's terminal is as it was, whatever the end" {
	shell
	on_tty --type 'kill -9 $$\n' -- bash -c 'before=$(stty -g); "$@"; echo "status $?"; [ "$(stty -g)" = "$before" ] && echo same' x "${RUN[@]}"
	has "$T/out" 'status 137'
	has "$T/out" same
}

@test "much output arrives whole" {
	bundle "$T/b" '.process.terminal = true | .process.args = ["sh", "-c", "seq 20000"]'
	new_id
	on_tty -- "$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID"
	ok
	is "$(grep -c '^[0-9]*$' "$T/out")" 20000
	is "$(tail -1 "$T/out")" 20000
}

@test "exec -t: size, job control, status; the container goes on" {
	started 'sleep 100'
	on_tty --size 31x77 --type 'stty size; tty; exit 4\n' -- "$RUNTIME" --root "$ROOT" exec -t "$ID" sh
	is "$rc" 4
	has "$T/out" '31 77'
	has "$T/out" '/dev/pts/'
	on_tty --type 'sleep 100\n' --type '\x03' --type 'exit 6\n' -- "$RUNTIME" --root "$ROOT" exec --tty "$ID" sh
	is "$rc" 6
	is "$(state_word "$ID")" running
}

@test "a terminal whose caller has none: the bundle's size, data both ways" {
	shell '.process.consoleSize = {height: 10, width: 20} | .process.args = ["sh", "-c", "stty size; read -r a; echo got $a"]'
	rc=0
	printf 'word\n' | timeout 20 "${RUN[@]}" >"$T/raw" 2>"$T/err" 3>&- || rc=$?
	tr -d '\r' <"$T/raw" >"$T/out"
	ok
	has "$T/out" '10 20'
	has "$T/out" 'got word'
}

@test "the workload cannot put input into the caller's terminal" {
	# TIOCSTI and TIOCLINUX act on the terminal that the process holds: its own pair.
	shell
	on_tty --type 'exit\n' -- bash -c '"$@"; tty' x "${RUN[@]}"
	local outer
	outer=$(grep '^/dev/pts/' "$T/out" | tail -1)
	[ -n "$outer" ]
	shell
	on_tty --type 'ls -l /proc/self/fd; exit\n' -- "${RUN[@]}"
	has "$T/out" '-> /dev/pts/0'
}
