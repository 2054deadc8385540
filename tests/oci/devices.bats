#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Devices: the default set and linux.devices; nothing else can be opened, whatever the image
# ships and whatever capability it holds.
load ../lib/harness

@test "the default nodes and links are there" {
	sh_in 'cd /dev; for d in null zero full random urandom tty ptmx; do [ -c $d ] || echo no $d; done
		for l in fd stdin stdout stderr; do [ -L $l ] || echo no link $l; done
		readlink fd; [ -d pts ] && [ -d shm ] && [ -d mqueue ] && echo dirs'
	out_is "$(printf '/proc/self/fd\ndirs')"
}

@test "the default nodes work, for a user too" {
	sh_in 'echo x >/dev/null && head -c 4 /dev/zero | wc -c && head -c 8 /dev/urandom | wc -c &&
		! echo x >/dev/full' '.process.user = {uid: 1000, gid: 1000}'
	out_is "$(printf '4\n8')"
}

@test "the host's /dev is not there" {
	sh_in 'ls /dev'
	grep -qx null "$T/out"
	if grep -E '^(vda|sda|nvme|loop|kmsg|mem|kvm|port|console-host)' "$T/out"; then false; fi
}

@test "linux.devices adds a node with its numbers" {
	sh_in 'stat -c "%t %T" /dev/extra; head -c 3 /dev/extra | wc -c' '.linux.devices = [
		{path: "/dev/extra", type: "c", major: 1, minor: 5, fileMode: 438, uid: 0, gid: 0}] |
		.linux.resources.devices += [{allow: true, type: "c", major: 1, minor: 5, access: "rwm"}]'
	out_is "$(printf '1 5\n3')"
}

# opens RULES [JQ]: what opening /dev/fuse, bound from the host, for reading and writing gives.
opens() {
	bundle "$T/b" ".mounts += [{destination: \"/dev/fuse\", type: \"bind\", source: \"/dev/fuse\", options: [\"bind\", \"nosuid\"]}]
		| .linux.resources.devices = $1 | ${2:-.} | .process.args = [\"probe\", \"open\", \"/dev/fuse\", \"rw\"]"
	run_bundle "$T/b"
	ok
	cat "$T/out"
}

# The device cgroup and a mount with nodev have an errno of their own.
DENIED=EACCES
ours || DENIED=EPERM
NOTHING='{allow: false, access: "rwm"}'

@test "a bound node is opened where the rules of devices grant it, and nowhere else" {
	is "$("$HELPERS/probe" open /dev/fuse rw)" ok
	local rule
	while read -r rule; do
		echo "granted by $rule?"
		is "$(opens "[$NOTHING, $rule]")" ok
	done <<-'END'
		{allow: true, type: "c", major: 10, minor: 229, access: "rwm"}
		{allow: true, type: "c", major: 10, minor: 229, access: "rw"}
		{allow: true, type: "c", major: 10, access: "rw"}
		{allow: true, type: "c", major: -1, minor: -1, access: "rwm"}
		{allow: true, access: "rwm"}
		{allow: true, type: "a", access: "rwm"}
		{allow: true, type: "c", major: 10, minor: 229, access: "r"}, {allow: true, type: "c", major: 10, minor: 229, access: "w"}
	END
	while read -r rule; do
		echo "denied by $rule?"
		is "$(opens "[$rule]")" $DENIED
	done <<-'END'

		{allow: false, access: "rwm"}
		{allow: false, access: "rwm"}, {allow: true, type: "c", major: 10, minor: 228, access: "rwm"}
		{allow: false, access: "rwm"}, {allow: true, type: "b", major: 10, minor: 229, access: "rwm"}
		{allow: false, access: "rwm"}, {allow: true, type: "b", access: "rwm"}
		{allow: false, access: "rwm"}, {allow: true, type: "c", major: 10, minor: 229, access: "m"}
		{allow: true, type: "c", major: 10, minor: 229, access: "rwm"}, {allow: false, access: "rwm"}
		{allow: true, access: "rwm"}, {allow: false, type: "c", major: 10, minor: 229, access: "rwm"}
	END
}

@test "a node of linux.devices is opened where the rules grant it as well" {
	local node='.linux.devices = [{path: "/dev/other", type: "c", major: 10, minor: 229}] | del(.linux.resources.devices)'
	sh_in 'probe open /dev/other rw; stat -c "%t %T" /dev/other' "$node"
	out_is "$(printf '%s\na e5' $DENIED)"
	sh_in 'probe open /dev/other rw' "$node | .linux.resources.devices = [$NOTHING, {allow: true, type: \"c\", major: 10, minor: 229, access: \"rwm\"}]"
	out_is ok
}

# Where somebody binds all of /dev, or a directory of it.
@test "in a directory of the host's /dev the granted nodes open, and no other" {
	local bound='.mounts += [{destination: "/host", type: "bind", source: "/dev", options: ["bind", "ro"]},
		{destination: "/some/net", type: "bind", source: "/dev/net", options: ["bind"]}]'
	local rule='{allow: true, type: "c", major: 10, minor: 200, access: "rwm"}'
	local try='for n in /host/net/tun /some/net/tun /host/fuse /host/loop-control; do probe open $n rw; done'
	sh_in "$try" "$bound | .linux.resources.devices = [$NOTHING, $rule]"
	out_is "$(printf '%s\n' ok ok $DENIED $DENIED)"
	sh_in "$try" "$bound | .linux.resources.devices = [{allow: true, access: \"rwm\"}]"
	out_is "$(yes ok | head -4)"
	# runc 1.1 gives everybody the tun device.
	ours || return 0
	sh_in "$try" "$bound | .linux.resources.devices = [$NOTHING]"
	out_is "$(yes $DENIED | head -4)"
}

@test "half of the access to a node cannot be enforced, and is refused by name" {
	ours || skip "the device cgroup can"
	local half='[{allow: true, type: "c", major: 10, minor: 229, access: "rm"}]'
	refused_bundle ".mounts += [{destination: \"/dev/fuse\", type: \"bind\", source: \"/dev/fuse\", options: [\"bind\"]}] | .linux.resources.devices = $half" \
		'c 10:229 is granted for reading only'
	refused_bundle ".linux.devices = [{path: \"/dev/other\", type: \"c\", major: 10, minor: 229}] | .linux.resources.devices = $half" \
		'c 10:229 is granted for reading only'
}

@test "a device node in the image cannot be opened" {
	ours || skip "the cgroup answers EPERM"
	bundle "$T/b" '.process.args = ["sh", "-c", "for d in /blk /zero /kmsg; do probe open $d; done"]'
	mknod "$T/b/rootfs/blk" b "$(stat -c '%Hd %Ld' / 2>/dev/null | cut -d' ' -f1)" 0
	mknod "$T/b/rootfs/zero" c 1 5
	mknod "$T/b/rootfs/kmsg" c 1 11
	chmod 666 "$T/b/rootfs/blk" "$T/b/rootfs/zero" "$T/b/rootfs/kmsg"
	run_bundle "$T/b"
	ok
	out_is "$(printf 'EACCES\nEACCES\nEACCES')"
}

@test "mknod of devices is refused in the root, on /dev and on a tmpfs" {
	sh_in 'for d in /x /dev/x /run/x /tmp/x; do mknod $d b 8 0 2>/dev/null && echo made $d; done
		mknod /tmp/fifo p && echo fifo'
	ours || skip "only this runtime promises it"
	out_is fifo
}

@test "chmod of /dev/null does not reach the host's node" {
	local before
	before=$(stat -c '%a %u %g' /dev/null)
	sh_in 'chmod 000 /dev/null 2>/dev/null; chown 1:1 /dev/null 2>/dev/null; echo tried'
	out_is tried
	is "$(stat -c '%a %u %g' /dev/null)" "$before"
}

@test "a lock on /dev/null of a container is not felt on the host, and none of the host inside" {
	ours || skip "only this runtime promises it"
	# The control arm: two processes of the host feel each other's lock.
	"$HELPERS/probe" hold lock /dev/null 30 >"$T/held" 3>&- &
	local holder=$!
	eventually 5 grep -q ok "$T/held"
	is "$("$HELPERS/probe" hold lock /dev/null)" EAGAIN
	local masked='.linux.maskedPaths += ["/proc/version"]'
	sh_in 'probe hold lock /dev/null; probe hold lock /proc/version' "$masked"
	kill "$holder"
	wait "$holder" || true
	out_is "$(printf 'ok\nok')"
	started 'probe hold lock /dev/null 100 & probe hold lock /proc/version 100' "$masked"
	eventually 5 sh -c "[ \$(grep -c ok '$T/$ID.out') = 2 ]"
	is "$("$HELPERS/probe" hold lock /dev/null)" ok
}

@test "no lease is taken: one on a file of /sys would hold up whoever opens it on the host" {
	ours || skip "only this runtime promises it"
	# The control arm: two processes of the host. The file is opened by nobody else.
	"$HELPERS/probe" hold lease /sys/kernel/fscaps 30 >"$T/held" 3>&- &
	local holder=$!
	eventually 5 grep -q ok "$T/held"
	is "$(timeout 1 cat /sys/kernel/fscaps >/dev/null; echo $?)" 124
	kill "$holder"
	wait "$holder" || true
	started 'for f in /sys/kernel/fscaps /proc/version /etc/passwd; do probe hold lease $f 10 & done; wait'
	eventually 5 sh -c "[ \$(grep -c EINVAL '$T/$ID.out') = 3 ]"
	timeout 1 cat /sys/kernel/fscaps
}

@test "a whiteout, character device 0:0, can be made without a capability; no other one" {
	sh_in 'mknod /tmp/w c 0 0 && [ -c /tmp/w ] && echo made; mknod /tmp/n c 1 3 || echo refused' \
		'.process.capabilities = {}'
	is "$(cat "$T/out")" "$(printf 'made\nrefused')"
}

@test "a new pseudo terminal can be opened" {
	sh_in 'probe open /dev/ptmx rw; ls /dev/pts'
	is "$(head -1 "$T/out")" ok
	grep -q ptmx "$T/out"
}
