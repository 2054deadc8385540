#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# noNewPrivileges: honoured both ways.
load ../lib/harness

@test "true is set" {
	run_in '.process.noNewPrivileges = true | .process.args = ["grep", "NoNewPrivs", "/proc/self/status"]'
	is "$(tr -d ' \t' <"$T/out")" NoNewPrivs:1
}

@test "false is not set" {
	run_in '.process.noNewPrivileges = false | .process.args = ["grep", "NoNewPrivs", "/proc/self/status"]'
	is "$(tr -d ' \t' <"$T/out")" NoNewPrivs:0
}

# The kernel honours set-user-ID bits only on mounts of the caller's namespace, and those of a
# detached tree are of none: runc's answer needs the namespace mode.
@test "a setuid file gives nothing with true, and works with false where the root has a mount namespace" {
	bundle "$T/b" '.process.user = {uid: 1000, gid: 1000} | .process.args = ["/suid", "euid"]'
	cp "$HELPERS/probe" "$T/b/rootfs/suid"
	chmod 4755 "$T/b/rootfs/suid"
	run_bundle "$T/b"
	ok
	out_is 1000
	config "$T/b" '.process.user = {uid: 1000, gid: 1000} | .process.args = ["/suid", "euid"] |
		.process.noNewPrivileges = false'
	if ours; then
		run_bundle "$T/b"
		ok
		out_is 1000
		echo '{"rootfs": {"mode": "namespace"}}' >"$T/node.json"
		RT_GLOBALS=(--config "$T/node.json")
	fi
	run_bundle "$T/b"
	ok
	out_is 0
}
