#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# list: table, JSON and quiet; one bad record must not hide the others.
load ../lib/harness

@test "list of a missing root is empty" {
	rt list --format json
	ok
	json '. == null or . == []' "$T/out"
	rt list
	ok
	is "$(wc -l <"$T/out")" 1
	rt list -q
	ok
	out_is ""
}

@test "list shows every container with its state" {
	started 'sleep 100'
	local a=$ID
	created 'sleep 100'
	rt list --format json
	ok
	json --arg a "$a" --arg b "$ID" '
		length == 2 and
		(map({(.id): .status}) | add) == {($a): "running", ($b): "created"} and
		all(.[]; (.pid > 0) and (.created | test("T.*Z$")) and (.owner == "root"))' "$T/out"
	rt list -f json
	ok
	rt list -q
	ok
	is "$(sort "$T/out")" "$(printf '%s\n' "$a" "$ID" | sort)"
}

@test "the table has runc's columns" {
	started 'sleep 100'
	rt list
	ok
	is "$(head -1 "$T/out" | tr -s ' ' | sed 's/ $//')" "ID PID STATUS BUNDLE CREATED OWNER"
	is "$(awk 'NR == 2 { print $1, $3, $6 }' "$T/out")" "$ID running root"
}

@test "a corrupt record does not hide the good ones" {
	ours || skip "the state file has another name"
	started 'sleep 100'
	mkdir -p "$ROOT/bad-empty" "$ROOT/bad-torn"
	: >"$ROOT/bad-empty/state.json"
	head -c 30 "$ROOT/$ID/state.json" >"$ROOT/bad-torn/state.json"
	rt list -q
	ok
	grep -qx "$ID" "$T/out"
	rt list --format json
	ok
	json --arg id "$ID" 'any(.[]; .id == $id and .status == "running")' "$T/out"
	rt delete --force bad-empty
	ok
	rt delete --force bad-torn
	ok
}
