#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# SIGKILL of the runtime's own processes, at rest and in a fork storm: within a second
# nothing of the container runs, state says stopped, delete succeeds.
load ../lib/harness

setup() {
	harness_setup
	ours || skip "there is no supervisor"
}

# victim WHICH SCRIPT: starts the container and kills.
victim() {
	started "$2"
	eventually 5 grep -q . "$T/$ID.out"
	sleep 0.2
	local s i
	s=$(pid_of "$ID")
	i=$(init_of "$ID")
	case $1 in
	supervisor) kill -9 "$s" ;;
	init) kill -9 "$i" ;;
	both) kill -9 "$s" "$i" ;;
	esac
}

REST='echo ready; setsid sleep 31350 & probe daemon 31350 >/dev/null; exec sleep 31350'
STORM='exec probe storm 5'

ended_alone() {
	local i
	for i in $(seq "${1:-20}"); do
		[ -n "$(marked)" ] || break
		sleep 0.05
	done
	is "$(marked)" ""
	is "$(state_word "$ID")" stopped
	rt delete "$ID"
	ok
	assert_nothing_left
}

@test "supervisor killed at rest" {
	victim supervisor "$REST"
	ended_alone
}

@test "init killed at rest" {
	victim init "$REST"
	ended_alone
}

@test "both killed at rest: the next state sweeps" {
	victim both "$REST"
	sleep 0.1
	is "$(state_word "$ID")" stopped
	ended_alone
}

@test "both killed at rest: delete --force sweeps" {
	victim both "$REST"
	sleep 0.1
	rt delete --force "$ID"
	ok
	assert_nothing_left
}

@test "supervisor killed in a storm" {
	victim supervisor "$STORM"
	ended_alone 60
}

@test "init killed in a storm" {
	victim init "$STORM"
	ended_alone 60
}

@test "both killed in a storm: delete --force sweeps" {
	victim both "$STORM"
	sleep 0.1
	rt delete --force "$ID"
	ok
	assert_nothing_left
}

@test "supervisor of a created container killed" {
	created 'sleep 100'
	kill -9 "$(pid_of "$ID")"
	ended_alone
}

@test "init of a created container killed" {
	created 'sleep 100'
	kill -9 "$(init_of "$ID")"
	ended_alone
}

@test "the tracked pid's process group killed, as conmon does at a time-out" {
	started "$REST"
	eventually 5 grep -q ready "$T/$ID.out"
	kill -9 -- "-$(ps -o pgid= -p "$(pid_of "$ID")" | tr -d ' ')"
	ended_alone
}

@test "a client of run that is killed leaves a supervisor that does nothing" {
	ours || skip "only this runtime has a supervisor"
	local p super before
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	new_id
	# With a pid file the supervisor is a process of its own.
	"$RUNTIME" --root "$ROOT" run --pid-file "$T/pid" --bundle "$T/b" "$ID" </dev/null >/dev/null 2>&1 3>&- &
	p=$!
	wait_state "$ID" running
	super=$(pid_of "$ID")
	[ "$super" != "$p" ]
	kill -9 "$p"
	wait "$p" || true
	sleep 0.2
	before=$(cut -d' ' -f14,15 "/proc/$super/stat")
	sleep 0.5
	is "$(cut -d' ' -f14,15 "/proc/$super/stat")" "$before"
	rt kill "$ID" KILL
	ok
}
