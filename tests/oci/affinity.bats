#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The processors of a container: all of the caller's cpuset, or those that the bundle names.
load ../lib/harness

allowed='sed -n s/Cpus_allowed_list:.//p /proc/self/status'

setup() {
	harness_setup
	EVERY=$(sed -n 's/Cpus_allowed_list:.//p' /proc/1/status)
	[ "$(nproc --all)" -ge 2 ]
	RUNTIME_REAL=$RUNTIME
	printf '#!/bin/sh\nexec taskset -c 1 "%s" "$@"\n' "$RUNTIME_REAL" >"$T/pinned"
	chmod 755 "$T/pinned"
}

@test "a caller that is pinned does not pin the container, nor what is executed in it" {
	is "$(taskset -c 1 $allowed)" 1
	RUNTIME=$T/pinned
	sh_in "$allowed"
	out_is "$EVERY"
	started 'sleep 100'
	rt exec "$ID" sh -c "$allowed"
	out_is "$EVERY"
}

@test "linux.resources.cpu.cpus is what a pinned caller's container gets" {
	RUNTIME=$T/pinned
	sh_in "$allowed" '.linux.resources.cpu = {cpus: "0"}'
	out_is 0
}

@test "execCPUAffinity is of exec only: final, or else initial" {
	started "$allowed; sleep 100" '.process.execCPUAffinity = {initial: "0", final: "1"}'
	eventually 5 test -s "$T/$ID.out"
	is "$(cat "$T/$ID.out")" "$EVERY"
	rt exec "$ID" sh -c "$allowed"
	out_is 1
	jq -n --arg s "$allowed" '{cwd: "/", args: ["/bin/sh", "-c", $s], env: ["PATH=/bin:/usr/bin"],
		execCPUAffinity: {initial: "0"}}' >"$T/p.json"
	rt exec --process "$T/p.json" "$ID"
	out_is 0
	jq '.execCPUAffinity.final = "1-0"' "$T/p.json" >"$T/q.json"
	rt exec --process "$T/q.json" "$ID"
	fails 'process.execCPUAffinity.final: "1-0"' 255
}
