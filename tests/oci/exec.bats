#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# exec: the process is forked inside the container, and every member of the Process object is honoured.
load ../lib/harness

# process JQ: writes a Process object to $T/p.json.
process() {
	jq -n '{cwd: "/", user: {uid: 0, gid: 0}, env: ["PATH=/bin:/usr/bin:/sbin"]} + ('"$1"')' >"$T/p.json"
}

@test "output and statuses: codes, signals, not found, not allowed" {
	local how
	started 'sleep 100'
	rt exec "$ID" sh -c 'echo out; echo err >&2'
	ok
	is "$(cat "$T/out") $(cat "$T/err")" "out err"
	for how in 'exit 0=0' 'exit 1=1' 'exit 255=255' 'kill -9 $$=137' 'kill -11 $$=139'; do
		rt exec "$ID" sh -c "${how%=*}"
		is "$how: $rc" "$how: ${how#*=}"
	done
	rt exec "$ID" no-such-program
	fails 'exec failed: exec: "no-such-program": executable file not found in $PATH' 255
	rt exec "$ID" /no/such
	fails 'exec failed: exec: "/no/such": stat /no/such: no such file or directory' 255
	rt exec "$ID" /etc/passwd
	fails 'permission denied' 255
}

@test "a user is a number without anything around it" {
	started 'sleep 100'
	local bad
	for bad in ' 1' '1 ' +1 -1 '1: 2' '1:+2' ''; do
		rt exec --user "$bad" "$ID" true
		fails "--user: \"$bad\"" 255
	done
	rt exec --user 1:2 "$ID" id -g
	ok
	out_is 2
}

@test "environment: the file's is the whole, the flags add to the container's" {
	started 'sleep 100' '.process.env += ["FROM=container"]'
	process '{args: ["sh", "-c", "echo $A-$FROM"], env: ["PATH=/bin", "A=file"]}'
	rt exec --process "$T/p.json" "$ID"
	out_is "file-"
	rt exec --env A=flag -e B=2 "$ID" sh -c 'echo $A-$B-$FROM'
	out_is "flag-2-container"
}

@test "user, groups, umask and working directory" {
	started 'sleep 100'
	process '{args: ["sh", "-c", "id -u; id -g; id -G; umask; pwd"], cwd: "/tmp",
		user: {uid: 1000, gid: 1001, additionalGids: [5, 6], umask: 63}}'
	rt exec --process "$T/p.json" "$ID"
	out_is "$(printf '1000\n1001\n1001 5 6\n0077\n/tmp')"
	rt exec --user 1000:1001 -g 7 --cwd /tmp "$ID" sh -c 'id -u; id -g; id -G; pwd'
	out_is "$(printf '1000\n1001\n1001 7\n/tmp')"
}

@test "capabilities of the Process object, and --cap" {
	started 'sleep 100' '.process.user = {uid: 1000, gid: 1000}'
	process '{args: ["grep", "Cap", "/proc/self/status"], user: {uid: 1000, gid: 1000}, capabilities:
		{bounding: ["CAP_KILL"], permitted: ["CAP_KILL"], effective: ["CAP_KILL"], inheritable: ["CAP_KILL"],
			ambient: ["CAP_KILL"]}}'
	rt exec --process "$T/p.json" "$ID"
	ok
	is "$(tr -d '\t ' <"$T/out" | sort -u | tr '\n' ' ')" "CapAmb:0000000000000020 CapBnd:0000000000000020 CapEff:0000000000000020 CapInh:0000000000000020 CapPrm:0000000000000020 "
	rt exec --user 0 --cap CAP_SYS_TIME "$ID" true
	[ "$rc" -eq 255 ]
}

@test "limits, no_new_privs and OOM score" {
	started 'sleep 100'
	process '{args: ["sh", "-c", "ulimit -n; grep NoNewPrivs /proc/self/status | tr -d \"\\t\"; cat /proc/self/oom_score_adj"],
		rlimits: [{type: "RLIMIT_NOFILE", soft: 50, hard: 60}], noNewPrivileges: true, oomScoreAdj: 500}'
	rt exec --process "$T/p.json" "$ID"
	out_is "$(printf '50\nNoNewPrivs:1\n500')"
}

@test "the profile of the bundle holds for exec too" {
	started 'sleep 100' '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW",
		syscalls: [{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO", errnoRet: 95}]}'
	rt exec "$ID" mkdir /tmp/x
	[ "$rc" -eq 1 ]
	has "$T/err" 'not supported'
}

@test "neither the bundle nor the node's configuration is read again" {
	ours || skip "runc reads its bundle"
	echo '{"capabilities": {"unfenced": "drop"}}' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
	started 'sleep 100' '.process.env += ["FROM=bundle"] | .process.execCPUAffinity = {final: "0"} |
		.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW",
			syscalls: [{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO", errnoRet: 95}]}'
	rm "$T/$ID/config.json" "$T/node.json"
	RT_GLOBALS=()
	rt exec "$ID" sh -c 'echo $FROM; grep Cpus_allowed_list /proc/self/status; mkdir /tmp/x'
	is "$rc" 1
	out_is "$(printf 'bundle\nCpus_allowed_list:\t0')"
	has "$T/err" 'not supported'
	# What the node said at create still holds.
	jq -n '{args: ["/bin/grep", "CapBnd", "/proc/self/status"], cwd: "/", user: {uid: 1, gid: 1},
		capabilities: {bounding: ["CAP_CHOWN", "CAP_SYS_ADMIN"]}}' >"$T/p.json"
	rt exec --process "$T/p.json" "$ID"
	ok
	out_is "$(printf 'CapBnd:\t0000000000000001')"
}

@test "it sees, signals and can be seen by what runs there, and nobody else" {
	# It ends a moment after what is killed, or the exec would end with it.
	started 'sleep 4244; sleep 0.5'
	rt exec "$ID" sh -c 'ps -o pid,args >/tmp/ps; cat /tmp/ps; kill $(awk "\$2 == \"sleep\" { print \$1 }" /tmp/ps)'
	ok
	has "$T/out" 'sleep 4244'
	if grep -E 'bats|systemd|sandlock:' "$T/out"; then false; fi
	wait_state "$ID" stopped
}

@test "stdin: data, its end, and a half close" {
	started 'sleep 100'
	printf 'one\ntwo' >"$T/in"
	STDIN=$T/in rt exec "$ID" cat
	out_is "$(printf 'one\ntwo')"
	# The writer goes away while the process lives: `cat` ends, what comes after still prints.
	rc=0
	(printf 'x'; sleep 0.3) | timeout 10 "$RUNTIME" --root "$ROOT" exec "$ID" sh -c 'cat; echo -end' \
		>"$T/out" 2>"$T/err" 3>&- || rc=$?
	ok
	out_is "x-end"
}

@test "a background child that keeps stdout does not hold the caller" {
	local before
	started 'sleep 100'
	before=$(now_ms)
	rt exec "$ID" sh -c 'sleep 4 & exit 7'
	is "$rc" 7
	[ $(($(now_ms) - before)) -lt 1500 ]
}

@test "one exec that lasts does not block the others" {
	local before pid
	started 'sleep 100'
	timeout 20 "$RUNTIME" --root "$ROOT" exec "$ID" sleep 5 >/dev/null 2>&1 </dev/null 3>&- &
	pid=$!
	sleep 0.3
	before=$(now_ms)
	rt exec "$ID" true
	ok
	rt state "$ID"
	ok
	rt kill "$ID" 0
	ok
	[ $(($(now_ms) - before)) -lt 2000 ]
	kill "$pid"
	wait "$pid" || true
}

@test "a reader that never reads: the end of the container frees everybody" {
	started 'sleep 100'
	mkfifo "$T/stuck"
	exec 9<>"$T/stuck"
	timeout 20 "$RUNTIME" --root "$ROOT" exec "$ID" yes >"$T/stuck" 2>/dev/null </dev/null 3>&- &
	sleep 0.3
	rt kill "$ID" KILL
	ok
	rc=0
	wait $! || rc=$?
	exec 9>&-
	is "$rc" 137
	wait_state "$ID" stopped
}

@test "signals to a foreground exec reach the process" {
	local pid
	started 'sleep 100'
	timeout 20 "$RUNTIME" --root "$ROOT" exec "$ID" sh -c 'trap "exit 33" TERM; while :; do sleep 0.05; done' \
		>"$T/out" 2>"$T/err" </dev/null 3>&- &
	pid=$!
	sleep 0.5
	kill -TERM "$(children_of "$pid" | tr ' ' '\n' | head -1)"
	rc=0
	wait "$pid" || rc=$?
	is "$rc" 33
}

@test "killing the client of an attached exec kills the process" {
	local pid
	started 'sleep 100'
	timeout 20 "$RUNTIME" --root "$ROOT" exec "$ID" sleep 4245 >/dev/null 2>&1 </dev/null 3>&- &
	pid=$!
	eventually 5 pgrep -f '^sleep 4245'
	kill -KILL "$(children_of "$pid" | tr ' ' '\n' | head -1)"
	wait "$pid" || true
	no_sleeper() { ! pgrep -f '^sleep 4245'; }
	eventually 3 no_sleeper
}

@test "the pid-file of an exec: the process while it is attached, nothing when it cannot start" {
	started 'sleep 100'
	rt exec --pid-file "$T/pid" "$ID" true
	ok
	grep -qE '^[0-9]+$' "$T/pid"
	rm "$T/pid"
	rt exec --pid-file "$T/pid" "$ID" nothing-here
	is "$rc" 255
	[ ! -e "$T/pid" ]
	rt exec -d --pid-file "$T/pid" "$ID" nothing-here
	is "$rc" 255
	[ ! -e "$T/pid" ]
}

@test "preserved descriptors arrive from 3 on, and no others" {
	started 'sleep 100'
	echo three >"$T/three"
	rc=0
	timeout 10 "$RUNTIME" --root "$ROOT" exec --preserve-fds 1 "$ID" sh -c 'cat <&3; ls /proc/self/fd | wc -l' \
		3<"$T/three" 7<"$T/three" >"$T/out" 2>"$T/err" </dev/null || rc=$?
	ok
	is "$(head -1 "$T/out")" three
	is "$(tail -1 "$T/out")" 5 # 0, 1, 2, 3 and the one that lists them
}

@test "exec into a container that is only created" {
	created 'echo main'
	rt exec "$ID" echo early
	out_is early
	is "$(state_word "$ID")" created
}

@test "in a paused container it is refused, unless asked for" {
	started 'sleep 100'
	rt pause "$ID"
	ok
	rt exec "$ID" true
	fails 'cannot exec in a paused container (use --ignore-paused to override)' 255
	rt exec --ignore-paused "$ID" echo anyway
	out_is anyway
}

@test "texts for wrong forms" {
	started 'sleep 100'
	process '{args: ["true"], terminal: true}'
	rt exec --process "$T/p.json" --detach "$ID"
	fails 'cannot allocate tty if runc will detach without setting console socket' 255
	process '{args: ["true"]}'
	rt exec --process "$T/p.json" --console-socket "$T/none" "$ID"
	fails 'cannot use console socket if runc will not detach or allocate tty' 255
	process '{args: ["true"], cwd: "relative"}'
	rt exec --process "$T/p.json" "$ID"
	[ "$rc" -eq 255 ]
	process '{args: []}'
	rt exec --process "$T/p.json" "$ID"
	[ "$rc" -eq 255 ]
	rt kill "$ID" KILL
	wait_state "$ID" stopped
	rt exec "$ID" true
	fails 'cannot exec in a stopped container' 255
}
