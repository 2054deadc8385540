#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it chooses the number of the next process of the machine
# A container with incomplete or damaged state can always be deleted, and its id be used again.
load ../lib/harness

setup() {
	harness_setup
	ours || skip "the record is the runtime's own"
}

@test "a directory without a record" {
	mkdir -p "$ROOT/x"
	rt state x
	[ "$rc" -eq 1 ]
	rt delete --force x
	ok
	[ ! -e "$ROOT/x" ]
}

@test "an empty and a torn record" {
	started 'sleep 100'
	local good=$ID
	mkdir -p "$ROOT/x" "$ROOT/y"
	: >"$ROOT/x/state.json"
	head -c 30 "$ROOT/$good/state.json" >"$ROOT/y/state.json"
	local id
	for id in x y; do
		rt state $id
		is "$rc" 1
		[ -s "$T/err" ]
		rt delete --force $id
		ok
		[ ! -e "$ROOT/$id" ]
		create $id "$T/$good"
		ok
		rt delete --force $id
		ok
	done
	is "$(state_word "$good")" running
}

@test "a record of garbage and one with wrong types never crash" {
	mkdir -p "$ROOT/x"
	local text
	for text in '{' '[]' '{"pid": "no"}' '{"pid": -1}' '{"pid": 99999999999999999999}' $'\x00\xff'; do
		mkdir -p "$ROOT/x"
		printf '%s' "$text" >"$ROOT/x/state.json"
		rt state x
		is "$rc" 1
		rt kill x KILL
		is "$rc" 1
		rt list
		ok
		rt delete --force x
		ok
	done
}

@test "a stale record whose pid is somebody else's now touches nobody" {
	started 'sleep 100'
	local pid innocent
	pid=$(pid_of "$ID")
	kill -9 "$pid" "$(init_of "$ID")"
	eventually 2 no_such "$pid"
	# The number is taken by an innocent process.
	local i
	for i in $(seq 50); do
		echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
		env -u SANDLOCK_TEST_MARK sleep 31360 3>&- &
		innocent=$!
		[ "$innocent" -ne "$pid" ] || break
		kill "$innocent"
		innocent=
	done
	[ -n "$innocent" ]
	is "$(state_word "$ID")" stopped
	rt kill "$ID" KILL
	fails 'container not running'
	rt kill --all "$ID" KILL
	ok
	rt delete --force "$ID"
	ok
	kill -0 "$innocent"
	kill "$innocent"
}

no_such() {
	[ ! -e "/proc/$1" ]
}

@test "the record of a running container is damaged: delete --force still ends it" {
	started 'sleep 100'
	local pid
	pid=$(pid_of "$ID")
	echo '{' >"$ROOT/$ID/state.json"
	rt delete --force "$ID"
	ok
	[ ! -e "$ROOT/$ID" ]
	[ ! -e "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status"
	assert_nothing_left
}

@test "a damaged table of IPC objects, the own one or another pod's, keeps nobody from being deleted" {
	local text
	for text in '' 'slipc 1' "$(head -c 3000 /dev/urandom | tr -d '\0')"; do
		started 'sleep 100'
		[ ! -e "$ROOT/$ID@ipc" ]
		printf '%s' "$text" >"$ROOT/$ID@ipc"
		printf '%s' "$text" >"$ROOT/other@ipc"
		rt list
		ok
		rt delete --force "$ID"
		ok
		[ ! -e "$ROOT/$ID@ipc" ]
		# Without its record nobody knows which table was its own: all are looked through.
		started 'sleep 100'
		echo '{' >"$ROOT/$ID/state.json"
		rt delete --force "$ID"
		ok
		rm -f "$ROOT/other@ipc"
	done
}
