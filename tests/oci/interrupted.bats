#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Calls that the supervisor answers, in a process with a timer at 500 us: a handler with SA_RESTART
# is not noticed by them, and one without it leaves nothing half done (docs/syscalls.md).
load ../lib/harness

# With these settings every call of the list is trapped.
TRAPPED='.hostname = "shown" | .annotations["io.sandlock.network.allow"] = "tcp://192.0.2.1:80; udp://192.0.2.1:80"
	| .linux.namespaces += [{type: "ipc"}] | .linux.namespaces |= unique_by(.type)'
CALLS='uname socket bind getifaddrs ioctl sendto connect msgget'

# timer HOW [JQ]: the list in a container; bounded by time, so that a slow machine does fewer.
timer() {
	bundle "$T/b" "${2:-$TRAPPED}"
	jq --arg how "$1" '.process.args = ["probe", "timer", $how, "2"]' "$T/b/config.json" >"$T/b/c"
	mv "$T/b/c" "$T/b/config.json"
	LIMIT=60 run_bundle "$T/b"
	ok
}

@test "a handler with SA_RESTART: no call ends with EINTR" {
	local c
	"$HELPERS/probe" timer restart 0.3 >"$T/bare"
	timer restart
	for c in $CALLS; do
		has "$T/bare" "$c EINTR 0 failed 0  of many"
		has "$T/out" "$c EINTR 0 failed 0  of many"
	done
}

@test "a handler without it: what ended with EINTR has done nothing" {
	local c
	"$HELPERS/probe" timer interrupt 0.3 >"$T/bare"
	timer interrupt
	for c in $CALLS; do
		has "$T/bare" "$c EINTR 0 failed 0  of many"
		grep "^$c EINTR [0-9]* failed 0 " "$T/out"
	done
}
