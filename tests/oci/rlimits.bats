#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# process.rlimits: both values, and nothing of the runtime's own juggling.
load ../lib/harness

@test "soft and hard limits are set" {
	sh_in 'ulimit -Sn; ulimit -Hn; ulimit -Sc; ulimit -Hc' '.process.rlimits = [
		{type: "RLIMIT_NOFILE", soft: 512, hard: 1024},
		{type: "RLIMIT_CORE", soft: 0, hard: 0}]'
	out_is "$(printf '512\n1024\n0\n0')"
}

@test "without rlimits the caller's are kept" {
	ulimit -Sn 777
	sh_in 'ulimit -Sn' '.process.rlimits = []'
	out_is 777
}

@test "an unknown type is refused by its name" {
	bundle "$T/b" '.process.rlimits = [{type: "RLIMIT_NONSENSE", soft: 1, hard: 1}]'
	create x "$T/b"
	fails RLIMIT_NONSENSE
}

@test "a type given twice is refused" {
	ours || skip "runc takes the last"
	bundle "$T/b" '.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 1, hard: 1},
		{type: "RLIMIT_NOFILE", soft: 2, hard: 2}]'
	create x "$T/b"
	fails RLIMIT_NOFILE
}

@test "soft above hard is refused" {
	bundle "$T/b" '.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 20, hard: 10}]'
	run_bundle "$T/b"
	[ "$rc" -ne 0 ]
	rt delete --force "$ID"
}
