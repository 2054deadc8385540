#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills the machine
# A fork bomb ends with its container, however the container ends.
load ../lib/harness

@test "main exits while its children fork: nobody survives" {
	local i
	for i in 1 2 3; do
		sh_in 'probe storm 5 >/tmp/ready & while ! grep -q storm /tmp/ready; do sleep 0.01; done; sleep 0.2; exit 0'
		assert_no_process
	done
}

@test "kill during a storm" {
	started 'exec probe storm 5'
	eventually 5 grep -q storm "$T/$ID.out"
	sleep 0.3
	rt kill "$ID" KILL
	ok
	wait_state "$ID" stopped 10
	assert_no_process
}

@test "delete --force during a storm" {
	started 'exec probe storm 6'
	eventually 5 grep -q storm "$T/$ID.out"
	sleep 0.3
	rt delete --force "$ID"
	ok
	assert_nothing_left
}
