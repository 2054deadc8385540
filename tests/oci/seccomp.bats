#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# linux.seccomp of the bundle: on top of the runtime's own filter.
load ../lib/harness

@test "a denied call gives the profile's errno" {
	sh_in 'mkdir /tmp/d 2>&1 | grep -o "Cross-device link\|Invalid cross-device link"; true' \
		'.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", architectures: ["SCMP_ARCH_X86_64"],
			syscalls: [{names: ["mkdir", "mkdirat", "no_such_call"], action: "SCMP_ACT_ERRNO", errnoRet: 18}]}'
	grep -q 'cross-device\|Cross-device' "$T/out"
}

@test "an unknown action or architecture is refused by name" {
	bundle "$T/b" '.linux.seccomp = {defaultAction: "SCMP_ACT_NONSENSE"}'
	create x "$T/b"
	fails SCMP_ACT_NONSENSE
	bundle "$T/b" '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", architectures: ["SCMP_ARCH_NONSENSE"]}'
	create x "$T/b"
	fails SCMP_ARCH_NONSENSE
}
