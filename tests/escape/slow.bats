#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills the machine
# Calls that point to a page of a file whose file system does not answer. Reading such a page cannot
# be interrupted, so the supervisor has a child read it and waits for one second.
load lib

teardown() {
	slow_end
	harness_teardown
}

slow_begin() {
	mkdir -p "$T/slow"
	"$HELPERS/slowfs" "$T/slow" "$@" >"$T/slow.log" 2>&1 3>&- 4>&- &
	SLOW=$!
	eventually 5 grep -q ready "$T/slow.log"
}

slow_end() {
	[ -n "${SLOW:-}" ] || return 0
	umount -l "$T/slow"
	kill "$SLOW"
	wait "$SLOW" || true
	SLOW=
}

@test "the control: without a sandbox the caller waits, and for nothing but the file system's end" {
	slow_begin
	"$ATTACK" direct slow-page uname "$T/slow/f" 3>&- 4>&- &
	sleep 0.5
	kill -0 $!
	slow_end
	wait $! || true
}

# Starts a container with the volume, whose process does nothing.
in_slow() {
	started 'sleep 100' ".hostname = \"slow\" | .annotations[\"io.kubernetes.cri.sandbox-id\"] = \"slow-$$\" | .mounts += [
		{destination: \"/slow\", type: \"bind\", source: \"$T/slow\", options: [\"rbind\", \"rw\"]},
		{destination: \"/bin/attack\", type: \"bind\", source: \"$ATTACK\", options: [\"bind\", \"ro\"]}]"
}

# a_page CALL MS: the call fails within the time, as if there was no page.
a_page() {
	local began
	began=$(now_ms)
	rt exec "$ID" attack direct slow-page "$1" /slow/f
	[ $(($(now_ms) - began)) -lt "$2" ]
	grep -q EFAULT "$T/out"
}

@test "a trapped call with such a page has no address: the supervisor waits for a second, once" {
	local call
	for call in uname mq_open bind; do
		slow_begin
		in_slow
		a_page "$call" 3000
		is "$(waiting)" 1
		# While it waits for the file system, nothing else of the container does.
		a_page "$call" 900
		is "$(waiting)" 1
		rt exec "$ID" sh -c 'uname -n; nc -l -p 0 -w 1 || true'
		ok
		out_is slow
		rt kill "$ID" KILL
		ok
		wait_state "$ID" stopped 5
		rt delete "$ID"
		ok
		slow_end
	done
}

# The runtime's processes of this container.
waiting() {
	ps --ppid "$(pid_of "$ID")" -o stat= | grep -c D
}

@test "a unix socket whose node the file system never makes: the supervisor waits for a second" {
	local began
	ours || skip "another runtime binds nothing"
	slow_begin
	# The control: without a sandbox the caller waits.
	"$HELPERS/unixbind" at "$T/slow/control" >"$T/control" 3>&- 4>&- &
	sleep 1.5
	is "$(cat "$T/control")" ""
	started 'for i in $(seq 20); do unixbind at /slow/$i & done; wait; unixbind at /tmp/s; sleep 100' ".mounts += [
		{destination: \"/slow\", type: \"bind\", source: \"$T/slow\", options: [\"rbind\", \"rw\"]},
		{destination: \"/bin/unixbind\", type: \"bind\", source: \"$HELPERS/unixbind\", options: [\"bind\", \"ro\"]}]"
	began=$(now_ms)
	# Twenty callers at once, and no more than one process of the runtime's that waits.
	eventually 10 sh -c "[ \$(grep -c EIO '$T/$ID.out') = 21 ]"
	is "$(ps --ppid "$(pid_of "$ID")" -o stat= | grep -c D)" 1
	rt exec "$ID" true
	ok
	[ $(($(now_ms) - began)) -lt 5000 ]
	slow_end
	eventually 5 sh -c "'$RUNTIME' --root '$ROOT' exec '$ID' unixbind at /tmp/t | grep -q ok"
	rt delete --force "$ID"
	ok
	wait
}

@test "a unix socket whose path the file system never finds: the supervisor waits for a second" {
	local began
	ours || skip "another runtime connects nothing"
	slow_begin
	started 'mkdir -p /sock; chmod 777 /sock; unixconnect / 0 /slow never/1 never/2 /slow/never/3
		echo done; sleep 100' "
		.annotations[\"io.sandlock.network.allow\"] = \"udp://192.0.2.1:53\" | .mounts += [
		{destination: \"/slow\", type: \"bind\", source: \"$T/slow\", options: [\"rbind\", \"rw\"]},
		{destination: \"/bin/unixconnect\", type: \"bind\", source: \"$HELPERS/unixconnect\", options: [\"bind\", \"ro\"]}]"
	began=$(now_ms)
	eventually 10 grep -q done "$T/$ID.out"
	is "$(grep -c EIO "$T/$ID.out")" 3
	rt exec "$ID" true
	ok
	[ $(($(now_ms) - began)) -lt 5000 ]
	slow_end
	rt delete --force "$ID"
	ok
}

@test "a descriptor whose file system does not answer when it is closed: the supervisor waits for a second" {
	local call began
	ours || skip "another runtime closes nothing"
	for call in connect sendmsg; do
		slow_begin close
		started "attack direct slow-close $call /slow/f & sleep 100" "
			.annotations[\"io.sandlock.network.allow\"] = \"udp://192.0.2.1:53\" | .mounts += [
			{destination: \"/slow\", type: \"bind\", source: \"$T/slow\", options: [\"rbind\", \"rw\"]},
			{destination: \"/bin/attack\", type: \"bind\", source: \"$ATTACK\", options: [\"bind\", \"ro\"]}]"
		began=$(now_ms)
		eventually 5 test -s "$T/$ID.out"
		rt exec "$ID" true
		ok
		[ $(($(now_ms) - began)) -lt 4000 ]
		slow_end
		rt delete --force "$ID"
		ok
	done
}
