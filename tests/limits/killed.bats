#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `state` says for which limits processes were killed, while the container runs and after its end.
# Control: a container that ends by itself, or by a signal of somebody else, has no such member.
load lib

setup() {
	harness_setup
	ours || skip "runc's state does not tell"
}

# killed_of: prints the member of the state document.
killed_of() {
	rt state "$ID"
	ok
	jq -c .killed "$T/out"
}

@test "a process that was killed for want of memory, while the container runs and later" {
	loaded 'load hold anon 200; echo over; exec sleep 100' '.linux.resources.memory = {limit: 67108864}'
	eventually 10 has "$T/$ID.out" over
	eventually 5 test -e "$T/$ID/oom"
	is "$(killed_of)" '{"memory":1}'
	rt exec "$ID" load hold anon 200
	is "$rc" 137
	eventually 5 two_kills
	rt kill "$ID" KILL
	wait_state "$ID" stopped 15
	is "$(killed_of)" '{"memory":2}'
}

two_kills() {
	[ "$(killed_of)" = '{"memory":2}' ]
}

@test "a main process that was killed for want of memory" {
	loaded 'exec load hold anon 200' '.linux.resources.memory = {limit: 67108864}'
	wait_state "$ID" stopped 15
	is "$(killed_of)" '{"memory":1}'
}

@test "a container whose time is over" {
	loaded 'exec sleep 100' '.annotations["io.sandlock.limits.timeout"] = "1s"'
	wait_state "$ID" stopped 15
	is "$(killed_of)" '{"timeout":1}'
}

@test "an end that no limit has caused" {
	loaded 'exec sleep 100' '.linux.resources.memory = {limit: 67108864} | .annotations["io.sandlock.limits.timeout"] = "1h"'
	is "$(killed_of)" null
	rt kill "$ID" KILL
	wait_state "$ID" stopped 15
	is "$(killed_of)" null
}
