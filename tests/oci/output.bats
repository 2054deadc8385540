#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Output that cannot be written, a log that cannot be opened, and what help says of values.
load ../lib/harness

@test "output to a full device is a failure" {
	local verb
	for verb in features --version --help 'run --help'; do
		rc=0
		"$RUNTIME" $verb >/dev/full 2>"$T/err" || rc=$?
		fails 'No space left on device'
		"$RUNTIME" $verb >"$T/out"
		[ -s "$T/out" ]
	done
}

@test "a log that cannot be opened is an error before anything is done" {
	RT_GLOBALS=(--log "$T/nowhere/log")
	bundle "$T/b" '.process.args = ["echo", "ran"]'
	run_bundle "$T/b"
	fails "$T/nowhere/log"
	out_is ""
}

@test "help shows which flags take a value" {
	rt run --help
	ok
	grep -q -- '--pid-file value' "$T/out"
	grep -q -- '--bundle, -b value' "$T/out"
	grep -q -- '--detach, -d  ' "$T/out"
}

@test "a working directory that is gone is named" {
	mkdir "$T/gone"
	cd "$T/gone"
	rmdir "$T/gone"
	rt create x
	fails 'bundle .: No such file'
}

@test "a poststop hook that fails is told on stderr" {
	bundle "$T/b" '.process.args = ["true"] | .hooks = {poststop: [{path: "/bin/false"}]}'
	run_bundle "$T/b"
	ok
	has "$T/err" 'error running poststop hook #0: /bin/false: exit status 1'
}

@test "ps of a container that has stopped is null, or a header" {
	started 'true'
	wait_state "$ID" stopped
	rt ps --format json "$ID"
	ok
	out_is null
	rt ps "$ID"
	ok
	is "$(wc -l <"$T/out")" 1
	has "$T/out" PID
}

# with_200 ARGS...: the runtime with the file $T/in as each descriptor from 3 to 202.
with_200() {
	rc=0
	timeout 20 python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
os.dup2(fd, 300)
for n in range(3, 203):
	os.dup2(300, n)
os.closerange(203, 400)
os.execv(sys.argv[2], sys.argv[2:])' "$T/in" "$RUNTIME" --root "$ROOT" "$@" \
		</dev/null >"$T/out" 2>"$T/err" || rc=$?
}

@test "200 descriptors are preserved, in exec too, and one that is missing is refused" {
	bundle "$T/b" '.process.args = ["sh", "-c", "ls /proc/self/fd | wc -l; cat /proc/self/fdinfo/202"]'
	echo hello >"$T/in"
	new_id
	with_200 run --bundle "$T/b" --preserve-fds 200 "$ID"
	ok
	[ "$(head -1 "$T/out")" -ge 203 ]
	has "$T/out" 'pos:'
	started 'sleep 100'
	with_200 exec --preserve-fds 200 "$ID" sh -c 'ls /proc/self/fd | wc -l'
	ok
	[ "$(cat "$T/out")" -ge 203 ]
	RT_GLOBALS=(--log "$T/log")
	rt exec --preserve-fds 2 "$ID" true
	fails 'preserve-fds: descriptor' 255
}
