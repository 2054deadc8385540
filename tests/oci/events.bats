#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# events --stats has the form of runc's, and counts notifications; ordinary programs cause none.
load ../lib/harness

stats() {
	rt events --stats "$ID"
	ok
}

@test "stats have runc's shape" {
	ours || skip "only this runtime promises it"
	started 'sleep 100'
	stats
	json --arg id "$ID" '.type == "stats" and .id == $id and
		(.data.cpu.usage.total | type) == "number" and
		(.data.memory.usage.usage | type) == "number" and .data.memory.usage.usage > 0 and
		(.data.pids.current >= 1) and
		((.sandlock // .data.sandlock).notifications_total | type) == "number"' "$T/out"
	is "$(cat "$T/err")" ""
}

@test "cpu time grows with work" {
	ours || skip "only this runtime promises it"
	started 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo worked; exec sleep 100'
	eventually 20 grep -q worked "$T/$ID.out"
	stats
	[ "$(jq .data.cpu.usage.total "$T/out")" -gt 50000000 ]
}

@test "opening, reading, statting, mapping and forking notify nobody" {
	ours || skip "only this runtime promises it"
	started 'find / -xdev >/dev/null 2>&1; i=0; while [ $i -lt 200 ]; do cat /etc/passwd >/dev/null; i=$((i+1)); done; echo worked; exec sleep 100'
	eventually 20 grep -q worked "$T/$ID.out"
	stats
	jq -c '.sandlock // .data.sandlock' "$T/out"
	[ "$(jq '(.sandlock // .data.sandlock).notifications_total' "$T/out")" -le 8 ]
}

@test "events of a stopped or unknown container fail with the known text" {
	started 'exit 0'
	wait_state "$ID" stopped
	rt events --stats "$ID"
	[ "$rc" -eq 1 ]
	grep -Eq 'container (is )?not running' "$T/err"
	rt events --stats nobody
	fails 'does not exist'
}
