#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills the machine
# process.oomScoreAdj reaches the workload; the supervisor keeps the caller's.
load ../lib/harness

@test "the workload has the bundle's value" {
	run_in '.process.oomScoreAdj = 543 | .process.args = ["cat", "/proc/self/oom_score_adj"]'
	out_is 543
}

@test "the supervisor does not" {
	ours || skip "only this runtime promises it"
	started 'sleep 100' '.process.oomScoreAdj = 543'
	is "$(cat "/proc/$(pid_of "$ID")/oom_score_adj")" "$(cat /proc/self/oom_score_adj)"
}

@test "a value below what the caller may is refused within a bound, beside many processes and load" {
	ours || skip "only this runtime promises it"
	local crowd
	python3 -c '
import os, sys, time
for i in range(1000):
    if os.fork() == 0:
        while i < 4 and os.getppid() != 1: pass
        time.sleep(60); os._exit(0)
print("up", flush=True); time.sleep(60)' >"$T/up" 3>&- 4>&- &
	crowd=$!
	eventually 20 grep -q up "$T/up"
	bundle "$T/b" '.process.oomScoreAdj = -500'
	printf '#!/bin/sh\nexec setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource "%s" "$@"\n' "$RUNTIME" >"$T/weak"
	chmod 755 "$T/weak"
	new_id
	LIMIT=10 RUNTIME=$T/weak rt create --bundle "$T/b" "$ID"
	pkill -9 -P "$crowd"
	kill -9 "$crowd"
	fails 'process.oomScoreAdj: -500 (lowering it needs CAP_SYS_RESOURCE)'
	[ ! -e "$ROOT/$ID" ]
}
