#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# check: what this kernel gives.
load ../lib/harness

@test "check names every protection and succeeds on this kernel" {
	ours || skip "only this runtime promises it"
	rt check
	ok
	local p
	for p in landlock.fs landlock.net landlock.signal seccomp proc.hidepid; do
		has "$T/out" "$p"
	done
}
