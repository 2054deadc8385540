#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# process.env is passed unchanged; of several entries with the same name the last one counts.
load ../lib/harness

@test "order and odd entries are kept, and of two with one name the last" {
	run_in '.process.env = ["PATH=/bin", "B=1", "A=2", "B=3", "EMPTY=", "SP= a b ", "U=\u00e4"] |
		.process.args = ["cat", "/proc/self/environ"]'
	tr '\0' '\n' <"$T/out" | grep -v ^HOME= >"$T/env"
	is "$(grep -v SANDLOCK_TEST_MARK "$T/env")" \
		"$(printf '%s\n' PATH=/bin A=2 B=3 EMPTY= 'SP= a b ' U=ä)"
}

@test "an exec's environment replaces the container's, name by name" {
	started 'sleep 100' '.process.env += ["X=container", "XY=1"]'
	rt exec --env X=1 -e X=2 "$ID" env
	ok
	is "$(grep '^X' "$T/out" | sort)" "$(printf 'X=2\nXY=1')"
	jq -n '{cwd: "/", args: ["/usr/bin/env"], env: ["X=1", "X=2"]}' >"$T/p.json"
	rt exec --process "$T/p.json" "$ID"
	ok
	is "$(grep ^X "$T/out")" X=2
}

@test "an entry without a name or a value is refused, as a flag of exec too" {
	bundle "$T/b" '.process.env = ["PATH=/bin", "B"]'
	run_bundle "$T/b"
	fails 'process.env[1]: invalid environment variable: "B"'
	bundle "$T/b" '.process.env = ["=B"]'
	run_bundle "$T/b"
	fails "environment variable name can't be empty: \"=B\""
	started 'sleep 100'
	rt exec --env B "$ID" true
	fails '--env: invalid environment variable: "B"' 255
	rt exec --env B= "$ID" true
	ok
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
