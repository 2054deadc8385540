#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# process.env: as given, order and duplicates too.
load ../lib/harness

@test "order, duplicates and odd entries are kept" {
	run_in '.process.env = ["PATH=/bin", "B=1", "A=2", "B=3", "EMPTY=", "SP= a b ", "U=\u00e4"] |
		.process.args = ["cat", "/proc/self/environ"]'
	tr '\0' '\n' <"$T/out" | grep -v ^HOME= >"$T/env"
	is "$(grep -v SANDLOCK_TEST_MARK "$T/env")" \
		"$(printf '%s\n' PATH=/bin B=1 A=2 B=3 EMPTY= 'SP= a b ' U=ä)"
}

@test "nothing of the caller's environment gets in" {
	export LEAKED_FROM_CALLER=1 NOTIFY_SOCKET= LISTEN_FDS=
	sh_in 'env'
	has "$T/out" PATH=
	if grep -E 'LEAKED|_OCI_|LISTEN|NOTIFY' "$T/out"; then false; fi
	unset LEAKED_FROM_CALLER
}

@test "10 000 variables arrive" {
	bundle "$T/b" '.process.env += [range(10000) | "VARIABLE_\(.)=value of \(.)"] |
		.process.args = ["probe", "env"]'
	run_bundle "$T/b"
	ok
	[ "$(cat "$T/out")" -ge 10001 ]
}

@test "1.5 MB in 1500 variables arrive" {
	bundle "$T/b" '.process.env += [range(1500) | "V\(.)=" + ("x" * 1000)] |
		.process.args = ["probe", "env"]'
	run_bundle "$T/b"
	ok
	[ "$(cat "$T/out")" -ge 1501 ]
}

@test "one variable of 131071 bytes works, one of 131072 is refused by its name" {
	bundle "$T/b" '.process.env += ["V=" + ("x" * 131069)] | .process.args = ["probe", "env"]'
	run_bundle "$T/b"
	ok
	bundle "$T/b" '.process.env += ["V=" + ("x" * 131070)] | .process.args = ["probe", "env"]'
	run_bundle "$T/b"
	fails 'rgument list too long'
	rt delete --force "$ID"
	assert_nothing_left
}
