#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# spec writes a template that runs, and never replaces a file.
load ../lib/harness

@test "spec writes a config.json that can be run" {
	ours || skip "terminal"
	mkdir -p "$T/b"
	bundle "$T/b"
	rm "$T/b/config.json"
	cd "$T/b"
	rt spec
	ok
	json '.ociVersion and .process.args and .root.path == "rootfs"' config.json
	jq '.process.terminal = false | .process.args = ["echo", "template"]' config.json >c
	mv c config.json
	run_bundle "$T/b"
	ok
	out_is template
}

@test "spec refuses to overwrite" {
	mkdir -p "$T/b"
	echo keep >"$T/b/config.json"
	rt spec --bundle "$T/b"
	is "$rc" 1
	is "$(cat "$T/b/config.json")" keep
}
