#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A supervisor that has no descriptor left for a client: the client waits, nothing spins, and it is
# answered as soon as there is one.
load ../lib/harness

setup() {
	harness_setup
	ours || skip "runc has no supervisor"
}

# first_free PID: the lowest number that no descriptor of the process has.
first_free() {
	local n=0
	while [ -e "/proc/$1/fd/$n" ]; do n=$((n + 1)); done
	echo "$n"
}

# ticks PID: its processor time until now, in hundredths of a second.
ticks() {
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}

@test "a client waits for a descriptor of the supervisor, which does not spin" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	local pid client before limit
	pid=$(cat "$T/$ID.pid")
	limit=$(prlimit --pid "$pid" --nofile --noheadings --output SOFT)
	prlimit --pid "$pid" --nofile="$(first_free "$pid"):"
	"$RUNTIME" --root "$ROOT" pause "$ID" >"$T/pause" 2>&1 3>&- &
	client=$!
	sleep 0.5
	before=$(ticks "$pid")
	sleep 2
	# On a busy machine what spins has a fraction of a processor; waking up each 100 ms is nothing.
	[ $(($(ticks "$pid") - before)) -lt 10 ]
	kill -0 "$client"
	prlimit --pid "$pid" --nofile="$limit:"
	wait "$client"
	rt state "$ID"
	is "$(jq -r .status "$T/out")" paused
	rt resume "$ID"
	ok
	rt delete --force "$ID"
	ok
}
