#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load lib

@test "the kernel as a whole: every attack gives its exact errno" {
	attack_cases kernel
}
