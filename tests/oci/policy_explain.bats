#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# policy explain says of every field of the bundle where it is enforced, and why.
load ../lib/harness

@test "policy explain shows honoured and approximated fields" {
	ours || skip "only this runtime promises it"
	bundle "$T/b" '.hostname = "shown" | .linux.resources.memory.limit = 1048576'
	rt policy explain --bundle "$T/b"
	ok
	has "$T/out" process.user.uid
	has "$T/out" root.path
	has "$T/out" hostname
	has "$T/out" linux.namespaces
	has "$T/out" linux.resources.memory.limit
	grep -Eq 'honou?red' "$T/out"
}
