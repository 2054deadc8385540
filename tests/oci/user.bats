#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# process.user: uid, gid and exactly the groups of the bundle.
load ../lib/harness

@test "uid and gid are the bundle's" {
	run_in '.process.user = {uid: 1000, gid: 1001} | .process.args = ["grep", "-E", "^(Uid|Gid|Groups):", "/proc/self/status"]'
	is "$(tr -s '\t ' ' ' <"$T/out" | sed 's/ $//')" \
		"$(printf 'Uid: 1000 1000 1000 1000\nGid: 1001 1001 1001 1001\nGroups:')"
}

@test "additional groups are exactly the bundle's, nothing of the caller's" {
	bundle "$T/b" '.process.user = {uid: 1000, gid: 1000, additionalGids: [5, 6]} |
		.process.args = ["grep", "^Groups:", "/proc/self/status"]'
	new_id
	rc=0
	timeout 20 "$HELPERS/caller" "$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID" \
		</dev/null >"$T/out" 2>"$T/err" 3>&- || rc=$?
	ok
	is "$(tr -s '\t ' ' ' <"$T/out" | sed 's/ $//')" "Groups: 5 6"
}

@test "root has no groups of the caller's either" {
	bundle "$T/b" '.process.args = ["grep", "^Groups:", "/proc/self/status"]'
	new_id
	rc=0
	timeout 20 "$HELPERS/caller" "$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID" \
		</dev/null >"$T/out" 2>"$T/err" 3>&- || rc=$?
	ok
	is "$(tr -s '\t ' ' ' <"$T/out" | sed 's/ $//')" "Groups:"
}

@test "a file closed to a group is closed to its member" {
	bundle "$T/b" '.process.user = {uid: 1000, gid: 1000} |
		.process.args = ["cat", "/secret"]'
	echo secret >"$T/b/rootfs/secret"
	chown 0:1000 "$T/b/rootfs/secret"
	chmod 604 "$T/b/rootfs/secret"
	run_bundle "$T/b"
	[ "$rc" -ne 0 ]
	out_is ""
}
