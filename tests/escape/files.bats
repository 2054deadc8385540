#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
load lib

@test "the host by path, /proc and device nodes: every attack gives its exact errno" {
	attack_cases files
}
