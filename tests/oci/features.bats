#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# features: CRI-O, docker and containerd decode it.
load ../lib/harness

@test "features is one JSON document with what callers need" {
	ours || skip "newer than this runc"
	rt features
	ok
	is "$(cat "$T/err")" ""
	json '(.ociVersionMin | test("^1\\.")) and (.ociVersionMax | test("^1\\.")) and
		(.hooks | index("createRuntime")) != null and
		(.mountOptions | index("rbind")) != null and
		(.mountOptions | index("ro")) != null and
		(.linux.capabilities | index("CAP_CHOWN")) != null and
		.linux.seccomp.enabled == true and
		(.linux.seccomp.actions | index("SCMP_ACT_ERRNO")) != null and
		(.linux.namespaces | type) == "array"' "$T/out"
}
