#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# File handles reach the host's root through any mount of the same file system.
load lib

@test "file handles: refused for the container's usual root" {
	attack_cases handles
}

@test "file handles: refused as well with CAP_DAC_READ_SEARCH" {
	node '{"capabilities": {"unfenced": "keep"}}'
	attack_cases handles "$(add_caps CAP_DAC_READ_SEARCH)"
}
