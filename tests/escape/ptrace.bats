#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load lib

@test "with CAP_SYS_PTRACE kept by the node: own processes yes, everyone else no" {
	node '{"capabilities": {"unfenced": "keep"}}'
	attack_cases ptrace "$(add_caps CAP_SYS_PTRACE)"
}
