#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load lib

@test "the host by path, /proc and device nodes: every attack gives its exact errno" {
	attack_cases files
}
