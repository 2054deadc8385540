#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tini, which `docker run --init` starts, finds itself where it expects to be.
load ../lib/harness

setup_file() {
	ROOTFS=$("$BATS_TEST_DIRNAME/../images/programs")/rootfs
	export ROOTFS
}

setup() {
	harness_setup
}

@test "tini reaps orphans, hands the status on and has nothing to warn of" {
	mkdir -p "$T/b"
	config "$T/b" ".root = {path: \"$ROOTFS\", readonly: true}"
	jq '.process.args = ["tini", "--", "bash", "-c", "(sleep 0.1 &); sleep 0.5; cat /proc/*/stat | grep -c \" Z \"; exit 7"]' \
		"$T/b/config.json" >"$T/b/c"
	mv "$T/b/c" "$T/b/config.json"
	run_bundle "$T/b"
	is "$rc" 7
	is "$(cat "$T/out")" 0
	is "$(cat "$T/err")" ''
}
