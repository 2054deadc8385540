#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The container does not inherit unusual signal dispositions, masks and descriptors of the caller.
load ../lib/harness

run_by_caller() {
	new_id
	rc=0
	timeout 20 "$HELPERS/caller" "$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID" \
		</dev/null >"$T/out" 2>"$T/err" 3>&- || rc=$?
	ok
}

@test "no signal is ignored or blocked" {
	bundle "$T/b" '.process.args = ["grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"]'
	run_by_caller
	is "$(tr -d '\t' <"$T/out")" "$(printf 'SigBlk:0000000000000000\nSigIgn:0000000000000000')"
}

@test "only 0, 1 and 2 are open" {
	bundle "$T/b" '.process.args = ["probe", "fds"]'
	run_by_caller
	out_is "$(printf '0\n1\n2')"
}

@test "--preserve-fds keeps exactly the ones it names" {
	bundle "$T/b" '.process.args = ["probe", "fds"]'
	new_id
	rc=0
	timeout 20 "$RUNTIME" --root "$ROOT" run --preserve-fds 2 --bundle "$T/b" "$ID" \
		</dev/null >"$T/out" 2>"$T/err" 3</etc/hostname 4</etc/hostname 5</etc/hostname || rc=$?
	ok
	out_is "$(printf '0\n1\n2\n3\n4')"
}

@test "the workload leads a session of its own" {
	sh_in 'cut -d" " -f1,5,6 /proc/$$/stat'
	read -r pid pgrp sid <"$T/out"
	is "$pgrp $sid" "$pid $pid"
}
