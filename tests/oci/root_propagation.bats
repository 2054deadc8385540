#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Mounts that the host makes while the container runs are seen where the bundle asks for slave
# propagation, the root has a mount namespace, and the node allows it.
load ../lib/harness

setup() {
	harness_setup
	mkdir -p "$T/host"
	mount -t tmpfs host "$T/host"
	mount --make-shared "$T/host"
	mkdir "$T/host/sub"
}

teardown() {
	umount -l "$T/host"
	harness_teardown
}

# node JSON
node() {
	echo "$1" >"$T/node.json"
	if ours; then RT_GLOBALS=(--config "$T/node.json" --log "$T/log"); fi
}

# with_volume OPTION [JQ]: a running container with the host's directory at /v.
with_volume() {
	started 'exec sleep 100' '.mounts += [{destination: "/v", type: "bind", source: "'"$T/host"'",
		options: ["rbind", "'"$1"'"]}]'" ${2:-}"
}

later() {
	mount -t tmpfs ${1:+-o "$1"} later "$T/host/sub"
	echo later >"$T/host/sub/file"
}

# seen WANT: what the container reads of it.
seen() {
	rt exec "$ID" sh -c 'cat /v/sub/file 2>/dev/null || echo nothing'
	out_is "$1"
}

@test "rslave sees a later mount of the host and its end; rprivate does not" {
	node '{"rootfs": {"mode": "namespace"}, "mounts": {"slave": true}}'
	with_volume rslave
	seen nothing
	later nodev
	seen later
	umount "$T/host/sub"
	seen nothing
	[ ! -e "$T/log" ] || ! grep -q propagation "$T/log"
	with_volume rprivate
	later nodev
	seen nothing
	umount "$T/host/sub"
}

@test "a mount of the container's namespace below a slave never reaches the host" {
	node '{"rootfs": {"mode": "namespace"}, "mounts": {"slave": true}}'
	with_volume rshared
	if ours; then
		has "$T/log" 'mounts: /v asks for shared propagation: it is slave, because the node policy has no mounts.shared'
		nsenter -m -t "$(pid_of "$ID")" /bin/mount -t tmpfs inside /v/sub
		! grep -q " $T/host/sub " /proc/self/mountinfo
	fi
	with_volume rslave
	nsenter -m -t "$(pid_of "$ID")" /bin/mount -t tmpfs inside /v/sub
	! grep -q " $T/host/sub " /proc/self/mountinfo
}

@test "with mounts.shared it does, and a later mount of the host is seen as well" {
	node '{"rootfs": {"mode": "namespace"}, "mounts": {"shared": true}}'
	# runc looks at this one as well.
	with_volume rshared '| .linux.rootfsPropagation = "rshared"'
	nsenter -m -t "$(pid_of "$ID")" /bin/mount -t tmpfs inside /v/sub
	grep -q " $T/host/sub .* tmpfs inside " /proc/self/mountinfo
	umount "$T/host/sub"
	later nodev
	seen later
	umount "$T/host/sub"
}

# The control arm is what a node risks that allows it: the mount's own attributes stand.
@test "without mounts.slave nothing comes in, a device node on it neither, and both are said" {
	ours || skip "runc has a cgroup of devices"
	node '{"rootfs": {"mode": "namespace"}, "mounts": {"slave": true}}'
	with_volume rslave
	later
	mknod "$T/host/sub/zero" c 1 5
	rt exec "$ID" sh -c 'head -c 1 /v/sub/zero | wc -c'
	out_is 1
	umount "$T/host/sub"
	node '{"rootfs": {"mode": "namespace"}}'
	with_volume rslave
	later
	mknod "$T/host/sub/zero" c 1 5
	seen nothing
	has "$T/log" 'mounts: /v asks for slave propagation: it is private, because the node policy has no mounts.slave'
	rt policy explain --bundle "$T/$ID"
	ok
	has "$T/out" 'note: mounts: /v asks for slave propagation: it is private'
	umount "$T/host/sub"
}

@test "in a detached root nothing comes in, and what is unmounted on the host goes" {
	ours || skip "only this runtime has a detached root"
	later nodev
	node '{}'
	with_volume rslave
	seen later
	has "$T/log" 'in a detached root what the host mounts there later is not seen'
	umount "$T/host/sub"
	seen nothing
	later nodev
	seen nothing
	umount "$T/host/sub"
}
