#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load lib

@test "descriptors of the caller: every attack gives its exact errno" {
	attack_cases descriptors
}
