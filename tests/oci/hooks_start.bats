#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# startContainer hooks run inside the container, as the workload's user, before its execve.
load ../lib/harness

hook='{path: "/bin/sh", args: ["sh", "-c", "cat >/tmp/state; id -u; echo \"$E\" >/tmp/env; pwd >/tmp/pwd"], env: ["PATH=/bin", "E=one two"]}'

@test "it runs at start, with the state, its environment and the workload's directory" {
	created 'cat /tmp/state; echo; cat /tmp/env /tmp/pwd' ".hooks = {startContainer: [$hook]} | .process.cwd = \"/tmp\""
	[ ! -e "$T/$ID/rootfs/tmp/state" ]
	rt start "$ID"
	ok
	wait_state "$ID" stopped
	is "$(head -1 "$T/$ID.out" | jq -r '.status + " " + .id')" "created $ID"
	is "$(tail -2 "$T/$ID.out")" "$(printf 'one two\n/tmp')"
}

@test "it is the user of the process, and what it sees is the container's" {
	run_in '.process.args = ["cat", "/tmp/seen"] | .process.user = {uid: 1000, gid: 1000} | .hooks =
		{startContainer: [{path: "/bin/sh", args: ["sh", "-c",
			"(id -u; cat /etc/image-name; kill -0 '$$' 2>/dev/null || echo fenced) >/tmp/seen"],
			env: ["PATH=/bin:/usr/bin"]}]}'
	out_is "$(printf '1000\nbusybox\nfenced')"
}

@test "without an environment of its own it has the process', with an empty one none" {
	run_in '.process.args = ["cat", "/tmp/e"] | .process.env += ["A=1"] | .hooks =
		{startContainer: [{path: "/bin/sh", args: ["sh", "-c", "/usr/bin/env >/tmp/e"]},
			{path: "/bin/sh", args: ["sh", "-c", "/usr/bin/env | sed s/^/empty:/ >>/tmp/e"], env: []}]}'
	has "$T/out" A=1
	has "$T/out" HOME=/root
	if grep empty:A= "$T/out"; then false; fi
}

@test "they run in order, each to its end" {
	run_in '.process.args = ["cat", "/tmp/o"] | .hooks = {startContainer: [
		{path: "/bin/sh", args: ["sh", "-c", "sleep 0.3; echo 1 >>/tmp/o"]},
		{path: "/bin/sh", args: ["sh", "-c", "echo 2 >>/tmp/o"]}]}'
	out_is "$(printf '1\n2')"
}

@test "one that fails makes start fail, and the workload never runs" {
	created 'echo ran' '.hooks = {startContainer: [
		{path: "/bin/sh", args: ["sh", "-c", "echo the reason; exit 3"]}]}'
	rt start "$ID"
	fails 'startContainer hook #0: /bin/sh: exit status 3, output: the reason'
	wait_state "$ID" stopped
	is "$(cat "$T/$ID.out")" ""
}

@test "one that is not in the container makes start fail" {
	created 'echo ran' '.hooks = {startContainer: [{path: "/no/such/hook"}]}'
	rt start "$ID"
	fails 'no such file or directory'
	wait_state "$ID" stopped
}

@test "one that hangs is ended at its timeout with what it started" {
	created 'echo ran' '.hooks = {startContainer: [
		{path: "/bin/sh", args: ["sh", "-c", "sleep 50 & sleep 50"], timeout: 1}]}'
	rt start "$ID"
	fails 'did not end within 1 seconds'
	wait_state "$ID" stopped
	assert_no_process
}

@test "a kill while one runs ends the container and the start" {
	created 'echo ran' '.hooks = {startContainer: [{path: "/bin/sleep", args: ["sleep", "30"]}]}'
	timeout 20 "$RUNTIME" --root "$ROOT" start "$ID" >"$T/s.out" 2>"$T/s.err" 3>&- &
	sleep 0.5
	rt kill "$ID" KILL
	ok
	rc=0
	wait $! || rc=$?
	is "$rc" 1
	has "$T/s.err" 'ended before it was started'
	wait_state "$ID" stopped
}
