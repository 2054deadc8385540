#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tini, which `docker run --init` starts, finds itself where it expects to be.
load lib

reaps() {
	program "$T/b" '(sleep 0.1 &); sleep 0.5; cat /proc/[0-9]*/stat | grep -c " Z "; exit 7'
	jq '.process.args |= ["tini", "--"] + .' "$T/b/config.json" >"$T/b/c"
	mv "$T/b/c" "$T/b/config.json"
	run_bundle "$T/b"
	is "$rc" 7
	out_is 0
	is "$(cat "$T/err")" ''
}

@test "tini reaps orphans, hands the status on and has nothing to warn of" {
	both reaps
}
