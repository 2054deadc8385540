#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# check: what this kernel gives.
load ../lib/harness

@test "check names every protection and succeeds on this kernel" {
	ours || skip "only this runtime promises it"
	rt check
	ok
	local p
	for p in landlock.fs landlock.net landlock.signal seccomp proc.hidepid; do
		has "$T/out" "$p"
	done
	grep -q "^network  *TCP to the loopback of the container's own pod; TCP bind and listen; nothing else" "$T/out"
}

@test "check and policy explain say what the root mode gives, and a former word is refused by name" {
	ours || skip "only this runtime has modes"
	bundle "$T/b"
	local mode gives
	while IFS='|' read -r mode gives; do
		echo "{\"rootfs\": {\"mode\": \"$mode\"}}" >"$T/node.json"
		RT_GLOBALS=(--config "$T/node.json")
		rt check
		ok
		grep -q "^rootfs.mode  *$mode: $gives" "$T/out"
		rt policy explain --bundle "$T/b"
		ok
		has "$T/out" "rootfs.mode $mode: $gives"
	done <<-END
		detached|neither mountinfo nor set-user-ID programs
		namespace|mountinfo and set-user-ID programs as with runc
	END
	echo '{"rootfs": {"mode": "attach"}}' >"$T/node.json"
	rt check
	fails 'rootfs.mode: "attach" is no more, "namespace" is in its place'
	echo '{"rootfs": {"attachByAnnotation": true}}' >"$T/node.json"
	rt check
	fails 'rootfs.attachByAnnotation: is no more, "modeByAnnotation" is in its place'
}

@test "check says where the node policy is, and that defaults hold where there is none" {
	ours || skip "only this runtime has one"
	echo '{}' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
	rt check
	ok
	grep -q "^node policy  *$T/node.json$" "$T/out"
	unshare -m --propagation private sh -c 'mount -t tmpfs tmpfs /etc && exec "$0" check' "$RUNTIME" >"$T/out"
	grep -q "^node policy  */etc/sandlock-oci/config.json, which is not there: defaults$" "$T/out"
}

@test "check and policy explain say whether memory has its clock" {
	ours || skip "only this runtime has one"
	bundle "$T/b" '.linux.resources.memory.limit = 67108864'
	rt check
	ok
	grep -q '^memory limit  *by the allocation clock$' "$T/out"
	rt policy explain --bundle "$T/b"
	ok
	grep -qx 'memory limit: by the allocation clock' "$T/out"
	mkdir "$T/bin"
	printf '#!/bin/sh\nexec %s perf_event_open -- %s "$@"\n' "$HELPERS/without" "$RUNTIME" \
		>"$T/bin/sandlock-oci"
	chmod +x "$T/bin/sandlock-oci"
	RUNTIME=$T/bin/sandlock-oci
	rt check
	ok
	grep -q '^memory limit  *by polling, .*CAP_PERFMON.*: Operation not permitted$' "$T/out"
	rt policy explain --bundle "$T/b"
	ok
	grep -q '^memory limit: by polling, .*perf_event_paranoid' "$T/out"
	bundle "$T/c"
	rt policy explain --bundle "$T/c"
	ok
	! grep -q '^memory limit' "$T/out"
}
