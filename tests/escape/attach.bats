#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# In attach mode the host's directories are above the root, so chroot(2) itself is refused
# (architecture 9.6); everything else stays as it is with a detached tree.
load lib

setup() {
	harness_setup
	VICTIMS=()
	node '{"rootfs": {"mode": "attach"}}'
}

@test "attach mode: climbing is refused at its first step" {
	attack_cases attach
}

@test "attach mode: the mount interface is refused" {
	attack_cases mounts
}

@test "attach mode: signals to host processes" {
	attack_cases signals
}
