#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load lib

@test "the network with no rule: every attack gives its exact errno" {
	attack_cases net
}
