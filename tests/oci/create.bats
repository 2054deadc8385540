#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# create leaves a prepared container whose process has not been executed
# (runtime-spec, runtime.md "Create"). The pid file and the pid of state have the same number.
load ../lib/harness

@test "create leaves status created and nothing executed" {
	created 'echo executed'
	is "$(state_word "$ID")" created
	sleep 0.2
	is "$(cat "$T/$ID.out")" ""
	rt start "$ID"
	ok
	eventually 5 grep -q executed "$T/$ID.out"
}

@test "create, start and delete print nothing" {
	created 'exit 0'
	is "$(cat "$T/$ID.out" "$T/$ID.err")" ""
	rt start "$ID"
	ok
	is "$(cat "$T/out" "$T/err")" ""
	wait_state "$ID" stopped
	rt delete "$ID"
	ok
	is "$(cat "$T/out" "$T/err")" ""
}

@test "the bundle defaults to the working directory" {
	bundle "$T/b" '.process.args = ["echo", "here"]'
	cd "$T/b"
	new_id
	rt run "$ID"
	ok
	out_is here
}

@test "a relative bundle works and is shown absolute" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	cd "$T"
	new_id
	create "$ID" b
	ok
	rt state "$ID"
	is "$(jq -r .bundle "$T/out")" "$T/b"
}

@test "changes to config.json after create have no effect" {
	created 'echo first'
	config "$T/$ID" '.process.args = ["echo", "second"]'
	rt start "$ID"
	ok
	wait_state "$ID" stopped
	is "$(cat "$T/$ID.out")" first
}

@test "a bundle without config.json is refused and leaves nothing" {
	mkdir "$T/empty"
	rt create --bundle "$T/empty" nothing
	fails 'config.json'
	rt state nothing
	fails 'does not exist'
}

@test "a bundle without its root directory is refused and leaves nothing" {
	bundle "$T/b"
	rm -rf "$T/b/rootfs"
	rt create --bundle "$T/b" nothing
	fails 'rootfs'
	rt state nothing
	fails 'does not exist'
}
