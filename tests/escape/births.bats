#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Root of the container can trace a process that init has forked and that has not executed a program
# yet, stop it before its first instruction, and use its descriptors. So it has only the descriptors
# that are meant for it, and none of init's.
load lib

# held_at_birth TID COMMAND...: prints the kinds of descriptors of the thread's next child, sorted.
held_at_birth() {
	timeout -k 5 60 "$BUILD/tests/helpers/birth" list "$@" </dev/null >"$T/held" 2>"$T/err" \
		3>&- 4>&- || { cat "$T/err"; return 1; }
	sed -e 's/^[0-9]* //' -e 's/\[[0-9]*\]$//' -e 's/ (deleted)$//' "$T/held" | sort
}

@test "the control: a child of another program holds all that its parent holds" {
	local shell
	mkfifo "$T/go"
	echo >"$T/secret"
	bash -c 'exec 9<"$1"; read -r <"$2"; /bin/true; :' - "$T/secret" "$T/go" \
		</dev/null >/dev/null 2>&1 3>&- 4>&- &
	shell=$!
	sleep 0.3
	held_at_birth "$shell" bash -c 'echo >"$1"' - "$T/go" >"$T/kinds"
	wait "$shell"
	has "$T/kinds" "$T/secret"
}

@test "init's thread in the domain holds nothing between two children" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	new_id
	create "$ID" "$T/b"
	ok
	threads_of "$ID"
	is "$(readlink "/proc/${INIT%:*}/task/${INIT#*:}"/fd/* | sort | uniq -c | tr -s ' ')" \
		" 3 /dev/null"
	rt start "$ID"
	ok
	rt exec "$ID" true
	ok
	is "$(readlink "/proc/${INIT%:*}/task/${INIT#*:}"/fd/* | sort | uniq -c | tr -s ' ')" \
		" 3 /dev/null"
	rt delete --force "$ID"
	ok
}

@test "a process that is exec'd holds at its birth its stdio, its description and one socket" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	threads_of "$ID"
	touch "$T/one" "$T/two" "$T/three"
	held_at_birth "${INIT#*:}" bash -c '"$1" --root "$2" exec "$3" true <"$4/one" >"$4/two" 2>&1' \
		- "$RUNTIME" "$ROOT" "$ID" "$T" >"$T/kinds"
	is "$(cat "$T/kinds")" "$(printf '%s\n' /dev/null /dev/null /dev/null \
		/memfd:sandlock-process "$T/one" "$T/two" "$T/two" 'socket:' | sort)"
	held_at_birth "${INIT#*:}" bash -c '"$1" --root "$2" exec --preserve-fds 1 "$3" true \
		<"$4/one" >"$4/two" 2>&1 3<"$4/three"' - "$RUNTIME" "$ROOT" "$ID" "$T" >"$T/kinds"
	is "$(cat "$T/kinds")" "$(printf '%s\n' /dev/null /dev/null /dev/null \
		/memfd:sandlock-process "$T/one" "$T/two" "$T/two" "$T/three" 'socket:' | sort)"
	rt delete --force "$ID"
	ok
}

# An exec whose process is stopped at its birth fails with an error. For other callers the container
# works.
running_container() {
	bundle "$T/b" '.process.args = ["sleep", "1000"]'
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	threads_of "$ID"
}

# held_up HOW: an exec whose process is stopped at its birth; sets $rc and writes $T/exec.err.
held_up() {
	rc=0
	timeout -k 5 "${2:-60}" "$BUILD/tests/helpers/birth" "$1" "${INIT#*:}" "$RUNTIME" --root "$ROOT" \
		exec "$ID" true </dev/null >"$T/exec.out" 2>"$T/exec.err" 3>&- 4>&- || rc=$?
}

works_meanwhile() {
	local verb
	for verb in "exec $ID true" "pause $ID" "resume $ID" "events --stats $ID" "kill --all $ID CONT"; do
		LIMIT=5 rt $verb
		ok
	done
}

@test "an exec whose process is stopped at its birth fails after 30 seconds, and holds up nothing else" {
	local job
	ours || skip "the bound is this runtime's"
	running_container
	held_up stop &
	job=$!
	sleep 2
	works_meanwhile # resume lets it go on
	wait "$job" || true
	held_up stop
	is "$rc" 255
	has "$T/exec.err" 'has not come as far as its program within 30 seconds'
	is "$(state_word "$ID")" running
	rt exec "$ID" true
	ok
	rt delete --force "$ID"
	ok
}

@test "a process that is taken over at its birth lies to whoever asked for it, and to nobody else" {
	ours || skip "what is spoken is this runtime's"
	running_container
	held_up lie
	is "$rc" 255
	has "$T/exec.err" AAAAAAAA
	[ "$(wc -c <"$T/exec.err")" -lt 1200 ]
	works_meanwhile
	held_up flood
	is "$rc" 255
	has "$T/exec.err" 'the process said 1 where 2 was expected'
	works_meanwhile
	rt delete --force "$ID"
	ok
}

@test "what is sent along by a process that is taken over does not hold up the supervisor" {
	local job
	ours || skip "what is spoken is this runtime's"
	running_container
	held_up linger 20 &
	job=$!
	eventually 10 grep -q . "$T/exec.out"
	works_meanwhile
	wait "$job" || true
	# Older kernels deliver it; docs/security.md says so.
	has "$T/exec.out" 'Operation not permitted'
	rt delete --force "$ID"
	ok
}

@test "from inside: who stops processes on their way in finds nothing in them but their own" {
	local i
	# The control: the same rights in a chroot, and a shell with two sockets that forks. It runs in
	# a pid namespace, so that no process of the machine is stopped.
	escape_root "$T/jail"
	export root=$T/jail caps="-all,$CONTAINER_CAPS"
	is "$(unshare -m --propagation private -pf bash -c '
		mount -t proc proc "$root/proc" || exit
		setpriv --bounding-set "$caps" bash -c "
			exec 8<>/dev/udp/127.0.0.1/9 9<>/dev/udp/127.0.0.1/9
			while :; do (/bin/true; :); done" &
		exec setpriv --bounding-set "$caps" chroot "$root" /attack direct watch-birth 30 1000' \
		3>&- 4>&-)" "$(printf 'watch-birth\tsocket:')"
	attack_bundle "$T/b" '["/attack", "direct", "watch-birth", "60", "10"]'
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	for i in $(seq 2000); do
		if grep -q watch-birth "$T/$ID.out"; then break; fi
		rt exec "$ID" /attack one stat /
	done
	is "$(cat "$T/$ID.out")" "$(printf 'watch-birth\town')"
	wait_state "$ID" stopped 5
	rt delete "$ID"
	ok
}
