#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# Landlock refuses only a part of the mount interface; the filter has to refuse the rest.
load lib

@test "the mount interface: refused for the container's usual root" {
	attack_cases mounts
}

@test "the mount interface: refused as well when the node keeps CAP_SYS_ADMIN" {
	node '{"capabilities": {"unfenced": "keep"}}'
	attack_cases mounts "$(add_caps CAP_SYS_ADMIN)"
}

@test "namespaces: refused as well when the node keeps CAP_SYS_ADMIN" {
	node '{"capabilities": {"unfenced": "keep"}}'
	attack_cases namespaces "$(add_caps CAP_SYS_ADMIN)"
}
