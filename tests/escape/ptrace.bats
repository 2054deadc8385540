#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load lib

@test "with the capabilities of every container: own processes yes, everyone else no" {
	attack_cases ptrace
}

@test "with CAP_SYS_PTRACE kept by the node: own processes yes, everyone else no" {
	node '{"capabilities": {"unfenced": "keep"}}'
	attack_cases ptrace "$(add_caps CAP_SYS_PTRACE)"
}

@test "a user without capabilities: own processes yes, everyone else no" {
	attack_cases ptrace '.process.user = {uid: 1000, gid: 1000} | del(.process.capabilities)'
}
