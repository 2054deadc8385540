#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# io.sandlock.* annotations: judged at create, never ignored.
load ../lib/harness

refused() {
	refused_bundle ".annotations = $1" "$2"
}

@test "an unknown key is refused by name" {
	ours || skip "runc ignores them"
	refused '{"io.sandlock.no.such": "x"}' io.sandlock.no.such
}

@test "a malformed value is refused with what would be accepted" {
	ours || skip "runc ignores them"
	refused '{"io.sandlock.rootfs.mode": "both"}' 'detached | namespace'
}

@test "a bundle widens only what the node allows" {
	ours || skip "runc ignores them"
	refused '{"io.sandlock.rootfs.mode": "namespace"}' rootfs.modeByAnnotation
	echo '{"rootfs": {"modeByAnnotation": true}}' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
	sh_in 'grep -c " / / " /proc/self/mountinfo; grep -q . /proc/self/mountinfo && echo exact' \
		'.annotations = {"io.sandlock.rootfs.mode": "namespace"}'
	has "$T/out" exact
}

@test "others' annotations pass and are shown by state" {
	created true '.annotations = {"org.example.key": "value"}'
	rt state "$ID"
	ok
	json '.annotations["org.example.key"] == "value"' "$T/out"
}
