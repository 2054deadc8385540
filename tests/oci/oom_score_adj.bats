#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# process.oomScoreAdj reaches the workload; the supervisor keeps the caller's.
load ../lib/harness

@test "the workload has the bundle's value" {
	run_in '.process.oomScoreAdj = 543 | .process.args = ["cat", "/proc/self/oom_score_adj"]'
	out_is 543
}

@test "the supervisor does not" {
	ours || skip "only this runtime promises it"
	started 'sleep 100' '.process.oomScoreAdj = 543'
	is "$(cat "/proc/$(pid_of "$ID")/oom_score_adj")" "$(cat /proc/self/oom_score_adj)"
}
