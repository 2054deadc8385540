#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Limits of each process, and the time that the container may run.
load lib

setup() {
	harness_setup
	ours || skip "annotations of this runtime"
}

@test "open_files bounds what process.rlimits says, and never raises it" {
	sh_in 'ulimit -n; ulimit -Hn; exec 39>/dev/null && echo open; (exec 40>/dev/null) || echo closed' \
		'.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 1000, hard: 2000}] |
			.annotations["io.sandlock.limits.open_files"] = "40"'
	out_is "$(printf '40\n40\nopen\nclosed')"
	sh_in 'ulimit -n; ulimit -Hn' \
		'.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 30, hard: 35}] |
			.annotations["io.sandlock.limits.open_files"] = "40"'
	out_is "$(printf '30\n35')"
}

@test "what is exec'd is bounded as well" {
	started 'exec sleep 100' '.annotations["io.sandlock.limits.open_files"] = "40"'
	rt exec "$ID" sh -c 'ulimit -Hn'
	ok
	out_is 40
}

@test "a container ends after its timeout with 124, all of it" {
	bundle "$T/b" '.process.args = ["sh", "-c", "trap : TERM; (setsid sleep 100) & while :; do sleep 1; done"] |
		.annotations["io.sandlock.limits.timeout"] = "1"'
	began=$(now_ms)
	run_bundle "$T/b"
	is "$rc" 124
	between 900 $(($(now_ms) - began)) 5000
}

@test "one that ends before keeps its own status" {
	bundle "$T/b" '.process.args = ["sh", "-c", "exit 3"] |
		.annotations["io.sandlock.limits.timeout"] = "1h"'
	run_bundle "$T/b"
	is "$rc" 3
}

@test "a paused container times out too, and its time begins with its start" {
	created 'exec sleep 100' '.annotations["io.sandlock.limits.timeout"] = "2s"'
	sleep 2.2
	is "$(state_word "$ID")" created
	rt start "$ID"
	ok
	rt pause "$ID"
	ok
	wait_state "$ID" stopped 6
}

@test "malformed limits are refused, and say what is meant" {
	refused_bundle '.annotations["io.sandlock.limits.timeout"] = "soon"' \
		'"soon" is malformed, expected: n[s|m|h]'
	refused_bundle '.annotations["io.sandlock.limits.open_files"] = "0"' \
		'"0" is malformed, expected: 1 to 4194304'
}
