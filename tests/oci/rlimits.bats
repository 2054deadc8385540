#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# process.rlimits: both values are set, and the runtime's own changes of limits are not visible.
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

@test "a caller with few descriptors is told so, and the id is free again" {
	local n
	bundle "$T/b" '.process.args = ["true"]'
	for n in 6 16 32; do
		rc=0
		(
			ulimit -n "$n"
			exec timeout 20 "$RUNTIME" --root "$ROOT" run --bundle "$T/b" x
		) <"/dev/null" >"$T/out" 2>"$T/err" 3>&- || rc=$?
		[ "$rc" -ne 0 ]
		! ours || fails "RLIMIT_NOFILE, ulimit -n) that this command was started with is $n"
	done
	rt run --bundle "$T/b" x
	ok
}

@test "a limit that cannot be set is named" {
	ours || skip "runc names its number"
	bundle "$T/b" '.process.args = ["true"] | .process.rlimits = [{type: "RLIMIT_NOFILE", soft: 1024, hard: 4000000000}]'
	run_bundle "$T/b"
	fails 'process.rlimits: RLIMIT_NOFILE to 1024/4000000000'
}

@test "a soft limit that is too low is raised for the runtime, and the process has the caller's" {
	bundle "$T/b" '.process.args = ["sh", "-c", "ulimit -Sn; ulimit -Hn"] | .process.rlimits = []'
	rc=0
	(
		ulimit -Sn 20
		exec timeout 20 "$RUNTIME" --root "$ROOT" run --bundle "$T/b" x
	) <"/dev/null" >"$T/out" 2>"$T/err" 3>&- || rc=$?
	ok
	ours || return 0 # runc 1.1.5 hands its own on
	out_is "$(printf '20\n%s' "$(ulimit -Hn)")"
}
