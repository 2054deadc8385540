#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load lib

@test "limits and scheduling of host processes: every attack gives its exact errno" {
	attack_cases sched
}
