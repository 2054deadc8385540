#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# wait prints the exit status of any container, for every caller and at any time. runc has no such
# command.
load ../lib/harness

setup() {
	harness_setup
	ours || skip "no other runtime has it"
	WAITERS=()
}

teardown() {
	kill -9 "${WAITERS[@]}" 2>/dev/null || true
	harness_teardown
}

# wait_behind FILE: asks in a process of its own; the answer comes to FILE.
wait_behind() {
	"$RUNTIME" --root "$ROOT" wait "$ID" >"$1" 2>&1 3>&- 4>&- &
	WAITERS+=($!)
}

@test "the status of one that runs, for everybody who waits; it is stopped then, and it is told again" {
	started 'trap "exit 7" TERM; while :; do sleep 0.05; done'
	wait_behind "$T/first"
	wait_behind "$T/second"
	sleep 0.3
	kill -0 "${WAITERS[@]}"
	rt kill "$ID"
	wait "${WAITERS[0]}"
	is "$(state_word "$ID")" stopped
	wait "${WAITERS[1]}"
	is "$(cat "$T/first" "$T/second")" "$(printf '7\n7')"
	rt wait "$ID"
	ok
	out_is 7
	rt delete "$ID"
	ok
	rt wait "$ID"
	fails 'does not exist'
}

@test "a signal is 128 and its number, also of one that was never started" {
	created 'exit 0'
	wait_behind "$T/first"
	sleep 0.2
	rt kill "$ID" KILL
	wait "${WAITERS[0]}"
	is "$(cat "$T/first")" 137
	rt wait "$ID"
	out_is 137
}

@test "a timeout is a failure; who gives up, or is killed, leaves the container alone" {
	started 'exec sleep 100'
	rt wait --timeout 1 "$ID"
	fails 'wait for the container: Connection timed out'
	rt wait --timeout x "$ID"
	fails timeout
	wait_behind "$T/first"
	sleep 0.2
	kill -9 "${WAITERS[0]}"
	wait "${WAITERS[0]}" || true
	sleep 0.2
	is "$(state_word "$ID")" running
}

@test "one whose supervisor was killed: nobody knows, and it says so" {
	started 'exec sleep 100'
	wait_behind "$T/first"
	sleep 0.2
	kill -9 "$(pid_of "$ID")"
	! wait "${WAITERS[0]}"
	has "$T/first" 'its supervisor ended'
	wait_state "$ID" stopped
	rt wait "$ID"
	fails 'nothing tells how it ended: its supervisor was killed'
}
