#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# io.sandlock.limits.disk: a container whose layer is larger is killed, and `state` says why. Control:
# the same writes below the limit, or without the annotation.
load lib

setup() {
	harness_setup
	ours || skip "only this runtime knows it"
	mkdir "$T/disk"
	mount -t tmpfs -o size=256M disk "$T/disk"
}

teardown() {
	mountpoint -q "$T/disk" || { harness_teardown; return; }
	rt delete --force "$ID"
	umount -R "$T/disk"
	harness_teardown
}

# on_disk SCRIPT SIZE: starts it. The root is an overlay, and its image has 40 MiB.
on_disk() {
	new_id
	bundle "$T/$ID"
	mkdir -p "$T/disk/upper, $ID" "$T/disk/work$ID"
	mv "$T/$ID/rootfs" "$T/disk/image$ID"
	dd if=/dev/zero of="$T/disk/image$ID/big" bs=1M count=40 status=none
	mkdir "$T/disk/root$ID"
	mount -t overlay -o "lowerdir=$T/disk/image$ID,upperdir=$T/disk/upper\\, $ID,workdir=$T/disk/work$ID" \
		overlay "$T/disk/root$ID"
	on_root "$T/disk/root$ID" "$@"
}

# on_root ROOT SCRIPT SIZE [JQ-EXPRESSION]
on_root() {
	config "$T/$ID" "${4:-.} | .annotations[\"io.sandlock.limits.disk\"] = \"$3\" | .root.path = \"$1\""
	jq --arg s "$2" '.process.args = ["sh", "-c", $s]' "$T/$ID/config.json" >"$T/$ID/c"
	mv "$T/$ID/c" "$T/$ID/config.json"
	create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
}

is_killed() {
	wait_state "$ID" stopped 30 || { echo "lives: $1"; return 1; }
	rt state "$ID"
	is "$(jq -c .killed "$T/out")" '{"disk":1}'
}

lives() {
	eventually 20 has "$T/$ID.out" written
	sleep 1
	is "$1 $(state_word "$ID")" "$1 running"
	rt delete --force "$ID"
}

fill='dd if=/dev/zero of=/file bs=1M count=%d 2>/dev/null; echo written; while :; do sleep 0.01; done'

@test "an overlay: what the container has written counts, and the image does not" {
	on_disk "$(printf "$fill" 10)" 20M
	lives below
	on_disk "$(printf "$fill" 30)" 20M
	is_killed above
}

@test "the statistics tell what the layer takes" {
	on_disk "$(printf "$fill" 10)" 20M
	eventually 20 is_counted
	is "$(stat_of .sandlock.disk_limit)" 20971520
}

is_counted() {
	[ "$(stat_of .sandlock.disk_usage)" -ge 10485760 ] && [ "$(stat_of .sandlock.disk_usage)" -lt 12000000 ]
}

@test "another root counts with all that it has" {
	for n in 5 25; do
		new_id
		bundle "$T/$ID"
		mv "$T/$ID/rootfs" "$T/disk/root$n"
		on_root "$T/disk/root$n" "$(printf "$fill" $n)" 20M
		[ $n = 25 ] || lives below
	done
	is_killed above
}

@test "the main process has the status of a kill" {
	new_id
	bundle "$T/$ID" '.process.args = ["sh", "-c", "dd if=/dev/zero of=/file bs=1M count=30; while :; do sleep 0.01; done"] |
		.annotations["io.sandlock.limits.disk"] = "20M"'
	mv "$T/$ID/rootfs" "$T/disk/root"
	jq --arg r "$T/disk/root" '.root.path = $r' "$T/$ID/config.json" >"$T/$ID/c"
	mv "$T/$ID/c" "$T/$ID/config.json"
	run_bundle "$T/$ID"
	is "$rc" 137
}

@test "a file that was deleted counts while it is open" {
	on_disk 'exec 5>/file; dd if=/dev/zero bs=1M count=30 >&5 2>/dev/null; rm /file; echo written; while :; do sleep 0.01; done' 60M
	lives below
	on_disk 'exec 5>/file; rm /file; dd if=/dev/zero bs=1M count=30 >&5 2>/dev/null; while :; do sleep 0.01; done' 20M
	is_killed above
}

@test "space that is only allocated counts, by a program that hardly runs" {
	on_disk 'busybox fallocate -l 30M /file; echo written; sleep 1000' 20M
	is_killed above
}

@test "a file with many names counts once, and volumes and tmpfs mounts do not" {
	mkdir "$T/disk/volume"
	new_id
	bundle "$T/$ID"
	mv "$T/$ID/rootfs" "$T/disk/root"
	on_root "$T/disk/root" 'dd if=/dev/zero of=/file bs=1M count=8 2>/dev/null
		for i in 1 2 3 4 5 6; do ln /file /name$i; done
		for d in /volume /tmpfs; do dd if=/dev/zero of=$d/file bs=1M count=30 2>/dev/null; done
		echo written; while :; do sleep 0.01; done' 20M \
		".mounts += [{destination: \"/volume\", type: \"bind\", source: \"$T/disk/volume\", options: [\"rbind\"]},
			{destination: \"/tmpfs\", type: \"tmpfs\", source: \"tmpfs\"}]"
	lives linked
}

@test "a directory that is too deep to be measured counts as too large" {
	on_disk 'i=0; while [ $i -lt 100 ]; do mkdir d; cd d; i=$((i+1)); done; echo written; while :; do sleep 0.01; done' 20M
	lives below
	on_disk 'i=0; while [ $i -lt 200 ]; do mkdir d; cd d; i=$((i+1)); done; while :; do sleep 0.01; done' 20M
	is_killed above
}

@test "a root that cannot be written needs no watch" {
	new_id
	bundle "$T/$ID"
	on_root "$T/$ID/rootfs" 'touch /x || echo written; while :; do sleep 0.01; done' 1K '.root.readonly = true'
	lives read-only
}

@test "what the runtime does about it is said, and a malformed size is refused" {
	bundle "$T/b" '.annotations["io.sandlock.limits.disk"] = "20M"'
	rt policy explain --bundle "$T/b"
	ok
	has "$T/out" 'note: io.sandlock.limits.disk: '
	refused_bundle '.annotations["io.sandlock.limits.disk"] = "20 MB"' io.sandlock.limits.disk
}
