#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the System V objects of the host
load lib

@test "the host's System V and POSIX IPC: every attack gives its exact errno" {
	attack_cases ipc
}
