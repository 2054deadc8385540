#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# In namespace mode the tree is alone in a mount namespace: everything stays as it is with a
# detached tree, and above its root is nothing either (docs/kubernetes.md, "Root modes").
load lib

setup() {
	escape_setup
	node '{"rootfs": {"mode": "namespace"}}'
}

@test "namespace mode: climbing ends at the container's root" {
	attack_cases namespace
}

@test "namespace mode: the host by path, /proc and device nodes" {
	attack_cases files
}

@test "namespace mode: descriptors of the caller" {
	attack_cases descriptors
}

@test "namespace mode: the mount interface is refused" {
	attack_cases mounts
}

@test "namespace mode: namespaces are refused" {
	attack_cases namespaces
}

@test "namespace mode: signals to host processes" {
	attack_cases signals
}
