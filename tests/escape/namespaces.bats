#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load lib

@test "namespaces, x32 and the 32-bit gate: every attack gives its exact errno" {
	attack_cases namespaces
}
