#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
load lib

@test "signals to host processes: every attack gives its exact errno" {
	attack_cases signals
}
