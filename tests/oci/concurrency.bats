#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Many callers use verbs on one id at the same time: each gets a valid answer, one of them succeeds,
# and nothing is left.
load ../lib/harness

# at_once N COMMAND...: runs it N times at once, and writes the statuses, sorted and counted, as
# "COUNTxSTATUS …" to $T/statuses.
at_once() {
	local n=$1 i
	shift
	: >"$T/raw"
	for i in $(seq "$n"); do
		(
			s=0
			timeout 30 "$RUNTIME" --root "$ROOT" "$@" </dev/null >"$T/o$i" 2>"$T/e$i" 3>&- || s=$?
			echo $s >>"$T/raw"
		) &
	done
	wait
	sort -n "$T/raw" | uniq -c | awk '{ printf "%sx%s ", $1, $2 }' >"$T/statuses"
}

statuses() {
	cat "$T/statuses"
}

@test "ten creates of one id: one wins" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	at_once 10 create --bundle "$T/b" same
	is "$(statuses)" "1x0 9x1 "
	is "$(cat "$T"/e* | grep -c 'already exists')" 9
	is "$(state_word same)" created
}

@test "ten starts of one container: one wins" {
	created 'echo once; sleep 100'
	at_once 10 start "$ID"
	is "$(statuses)" "1x0 9x1 "
	sleep 0.3
	is "$(cat "$T/$ID.out")" once
}

@test "ten deletes of a stopped one: one wins; ten forced ones: all are content" {
	created true
	rt kill "$ID" KILL
	wait_state "$ID" stopped
	at_once 10 delete "$ID"
	is "$(statuses)" "1x0 9x1 "
	started 'sleep 100'
	at_once 10 delete --force "$ID"
	is "$(statuses)" "10x0 "
}

@test "kills, states and execs at the same time as the end" {
	local i
	for i in $(seq 5); do
		started 'sleep 100'
		for _ in 1 2 3; do
			timeout 30 "$RUNTIME" --root "$ROOT" exec "$ID" sleep 50 >/dev/null 2>&1 </dev/null 3>&- &
			timeout 30 "$RUNTIME" --root "$ROOT" state "$ID" >/dev/null 2>&1 </dev/null 3>&- &
			timeout 30 "$RUNTIME" --root "$ROOT" kill "$ID" KILL >/dev/null 2>&1 </dev/null 3>&- &
		done
		wait
		wait_state "$ID" stopped
		rt delete "$ID"
		ok
	done
}

@test "delete --force during create, at every moment: nothing is left" {
	local i delay
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	for i in $(seq 40); do
		timeout 30 "$RUNTIME" --root "$ROOT" create --bundle "$T/b" r >/dev/null 2>"$T/e" </dev/null 3>&- &
		delay=$(printf '0.%03d' $((i)))
		sleep "$delay"
		rt delete --force r
		wait $! || true
		rt delete --force r
		ok
		is "$(state_word r)" none
	done
	assert_no_process
}

@test "a create that is killed at every moment can be deleted" {
	local i
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	for i in $(seq 30); do
		"$RUNTIME" --root "$ROOT" create --bundle "$T/b" r >/dev/null 2>&1 </dev/null 3>&- &
		sleep "$(printf '0.%03d' "$i")"
		kill -9 $! 2>/dev/null || true
		wait $! 2>/dev/null || true
		rt delete --force r
		ok
		is "$(state_word r)" none
	done
	assert_no_process
}

@test "a record whose pid belongs to somebody else now: stopped, and nobody is killed" {
	local stranger
	started 'sleep 100'
	kill -9 "$(pid_of "$ID")"
	wait_state "$ID" stopped
	sleep 100 3>&- &
	stranger=$!
	local f
	f=$(ls "$ROOT/$ID/"*.json | head -1)
	# The recorded number is the stranger's, the recorded start time is not.
	sed -E "s/(\"supervisor\":\{\"pid\":)[0-9]+/\1$stranger/; s/(\"workload\":\{\"pid\":)[0-9]+/\1$stranger/" "$f" >"$T/f"
	cat "$T/f" >"$f"
	is "$(state_word "$ID")" stopped
	rt kill "$ID" KILL
	fails 'not running'
	rt delete --force "$ID"
	ok
	kill -0 "$stranger"
	kill "$stranger"
}
