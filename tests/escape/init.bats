#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load lib

@test "the runtime's own processes: every attack gives its exact errno" {
	attack_cases init
}
