#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The command line in the forms that callers use.
load ../lib/harness

@test "every global flag of the known callers is accepted" {
	bundle "$T/b" '.process.args = ["echo", "ran"]'
	new_id
	"$RUNTIME" --root "$ROOT" --debug --log "$T/log" --log-format json --systemd-cgroup \
		--rootless=false run --bundle "$T/b" "$ID" </dev/null >"$T/out" 2>"$T/err" 3>&-
	out_is ran
	new_id
	"$RUNTIME" --root="$ROOT" --log="$T/log" --log-format=json --rootless false \
		run --bundle="$T/b" "$ID" </dev/null >"$T/out" 2>"$T/err" 3>&-
	out_is ran
}

@test "crun's and old runc's globals are accepted" {
	ours || skip "not runc's"
	bundle "$T/b" '.process.args = ["echo", "ran"]'
	new_id
	RT_GLOBALS=(--cgroup-manager disabled --criu /usr/sbin/criu --rootless auto)
	rt run --bundle "$T/b" "$ID"
	ok
	out_is ran
}

@test "create accepts the flags of shim and conmon" {
	created 'true'
	rt delete --force "$ID"
	create "$ID" "$T/$ID" --no-pivot --no-new-keyring --preserve-fds 0
	ok
}

@test "a long flag with a single dash works, as in Go" {
	bundle "$T/b" '.process.args = ["echo", "ran"]'
	new_id
	rt run -bundle "$T/b" "$ID"
	ok
	out_is ran
}

@test "an unknown flag, a missing argument and an unknown verb fail with a message" {
	local args
	for args in 'create --no-such-flag x' 'state' 'no-such-verb x' 'start' 'delete'; do
		rt $args
		if [ "$rc" -eq 0 ] || { [ ! -s "$T/err" ] && [ ! -s "$T/out" ]; }; then
			echo "$args: status $rc"
			cat "$T/out"
			false
		fi
	done
}

@test "--version starts with the name and the word version" {
	rt --version
	ok
	ours || skip "only this runtime promises it"
	[[ $(head -1 "$T/out") =~ ^sandlock-oci\ version\ [0-9]+\.[0-9]+ ]]
	grep -q '^spec: 1\.' "$T/out"
	rt -v
	ok
}

@test "--help prints every verb" {
	rt --help
	ok
	local verb
	for verb in create start state kill delete run list spec features; do
		has "$T/out" "$verb"
	done
	rt create --help
	ok
}
