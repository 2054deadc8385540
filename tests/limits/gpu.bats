#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# io.sandlock.gpu: only the chosen nodes are there and can be opened. The GPUs are stand-ins: a /dev of
# the test's own, in a mount namespace for the runtime, where nodes of other drivers have their names.
load lib

setup() {
	harness_setup
	ours || skip "only this runtime knows it"
	echo '{"annotations": {"allow": ["io.sandlock.gpu"]}}' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
	cat >"$T/with-gpus" <<-E
		#!/bin/sh
		exec unshare --mount --propagation private sh -c '
			mount -t tmpfs gpus /dev && mkdir /dev/dri /dev/pts /dev/shm &&
			mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/zero c 1 5 &&
			mknod -m 666 /dev/full c 1 7 && mknod -m 666 /dev/tty c 5 0 &&
			mknod -m 666 /dev/random c 1 8 && mknod -m 666 /dev/urandom c 1 9 &&
			mknod -m 666 /dev/nvidiactl c 10 237 && mknod -m 666 /dev/nvidia0 c 10 200 &&
			mknod -m 666 /dev/nvidia1 c 10 229 && mknod -m 660 /dev/dri/renderD129 c 10 183 &&
			mknod -m 660 /dev/dri/card1 c 10 183 && mknod -m 666 /dev/kfd c 10 237 &&
			exec "\$0" "\$@"' "$RUNTIME" "\$@"
	E
	chmod 755 "$T/with-gpus"
	RUNTIME_REAL=$RUNTIME
	RUNTIME=$T/with-gpus
}

# Every node: there or not, and whether it opens.
LOOK='for n in nvidia0 nvidia1 nvidiactl dri/renderD129 dri/card1 kfd; do
	if [ ! -e /dev/$n ]; then echo $n missing; elif (: </dev/$n) 2>/dev/null; then echo $n opens
	else echo $n closed; fi; done; echo "$CUDA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES"'

gpus() {
	new_id
	bundle "$T/$ID" ".annotations[\"io.sandlock.gpu\"] = \"$1\" | ${2:-.}"
	jq --arg s "$LOOK" '.process.args = ["sh", "-c", $s]' "$T/$ID/config.json" >"$T/$ID/c"
	mv "$T/$ID/c" "$T/$ID/config.json"
	rt run --bundle "$T/$ID" "$ID"
}

is_there() {
	is "$(sed -n "s,^$1 ,,p" "$T/out")" "$2"
}

@test "one of them: its nodes and the shared ones, and no other" {
	gpus 1
	ok
	is_there nvidia0 missing
	is_there nvidia1 opens
	is_there nvidiactl opens
	is_there kfd opens
	[ "$(sed -n 's,^dri/renderD129 ,,p' "$T/out")" != missing ]
	[ "$(sed -n 's,^dri/card1 ,,p' "$T/out")" != missing ]
	is "$(tail -n 1 "$T/out")" "0 0"
	gpus 0
	ok
	[ "$(sed -n 's,^nvidia0 ,,p' "$T/out")" != missing ]
	is_there nvidia1 missing
	is_there dri/renderD129 missing
	is_there dri/card1 missing
	is_there kfd opens
}

@test "all of them, by the numbers that they have" {
	gpus all
	ok
	is_there nvidia1 opens
	[ "$(sed -n 's,^nvidia0 ,,p' "$T/out")" != missing ]
	is "$(tail -n 1 "$T/out")" " "
	gpus 0,1
	ok
	is "$(tail -n 1 "$T/out")" "0,1 0,1"
}

@test "what the bundle has of others is not there" {
	gpus 0 '.linux.devices = [{path: "/dev/nvidia1", type: "c", major: 10, minor: 229}] |
		.linux.resources.devices = [{allow: true, access: "rwm"}]'
	ok
	is_there nvidia1 missing
	new_id
	bundle "$T/$ID" '.linux.devices = [{path: "/dev/nvidia1", type: "c", major: 10, minor: 229}] |
		.linux.resources.devices = [{allow: true, access: "rwm"}] |
		.process.args = ["sh", "-c", ": </dev/nvidia1 && echo control"]'
	rt run --bundle "$T/$ID" "$ID"
	out_is control
}

@test "one that the host does not have is refused, and malformed values" {
	gpus 5
	fails 'io.sandlock.gpu: 5: the host has no node of such a GPU'
	for bad in '' none 64 1,1 0-1; do
		gpus "$bad"
		[ "$rc" -ne 0 ]
	done
}

@test "a node that does not name it in annotations.allow does not give its devices" {
	RT_GLOBALS=()
	gpus all
	fails 'io.sandlock.gpu: it gives devices of the host'
}
