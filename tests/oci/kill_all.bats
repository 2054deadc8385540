#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# kill --all: every process; fine on a stopped container (containerd retries otherwise).
load ../lib/harness

@test "kill --all on a stopped container succeeds" {
	started 'exit 0'
	wait_state "$ID" stopped
	rt kill --all "$ID" KILL
	ok
	rt kill -a "$ID" 9
	ok
}

@test "kill --all reaches processes beside the main one" {
	started 'for i in 1 2; do sh -c "trap \"echo child; exit\" USR1; while :; do sleep 0.05; done" & done
		trap "echo main" USR1; sleep 0.3; echo ready; while :; do sleep 0.05; done'
	eventually 5 grep -q ready "$T/$ID.out"
	rt kill --all "$ID" USR1
	ok
	eventually 5 has_lines child 2
	eventually 5 has_lines main 1
}

has_lines() {
	[ "$(grep -c "$1" "$T/$ID.out")" -eq "$2" ]
}

@test "kill --all of an unknown id fails" {
	rt kill --all nobody KILL
	fails 'container does not exist'
}
