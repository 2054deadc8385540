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

@test "a setuid file gives nothing with true and works with false" {
	bundle "$T/b" '.process.user = {uid: 1000, gid: 1000} | .process.args = ["/suid", "euid"]'
	cp "$HELPERS/probe" "$T/b/rootfs/suid"
	chmod 4755 "$T/b/rootfs/suid"
	run_bundle "$T/b"
	ok
	out_is 1000
	config "$T/b" '.process.user = {uid: 1000, gid: 1000} | .process.args = ["/suid", "euid"] |
		.process.noNewPrivileges = false'
	run_bundle "$T/b"
	ok
	out_is 0
}
