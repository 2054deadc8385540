#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tmpfs: size, mode, owner, copy-up; gone with the container.
load ../lib/harness

@test "size, mode, uid and gid are set" {
	sh_in 'stat -c "%a %u %g" /t; df -k /t | tail -1 | tr -s " " | cut -d" " -f2
		head -c 2000000 /dev/zero >/t/f 2>/dev/null || echo full' \
		'.mounts += [{destination: "/t", type: "tmpfs", source: "tmpfs",
			options: ["size=1m", "mode=1770", "uid=7", "gid=8"]}]'
	out_is "$(printf '1770 7 8\n1024\nfull')"
}

@test "tmpcopyup starts with the image's content" {
	sh_in 'cat /etc/image-name; stat -c "%a %u" /etc/secret; echo more >>/etc/image-name; echo new >/etc/new; readlink /etc/l' \
		'.mounts += [{destination: "/etc", type: "tmpfs", source: "tmpfs", options: ["tmpcopyup"]}]' || true
	bundle "$T/b" '.mounts += [{destination: "/etc", type: "tmpfs", source: "tmpfs", options: ["tmpcopyup"]}] |
		.process.args = ["sh", "-c", "cat /etc/image-name; stat -c \"%a %u\" /etc/secret; echo more >>/etc/image-name; readlink /etc/l; cat /etc/d/f"]'
	echo s >"$T/b/rootfs/etc/secret"
	chmod 640 "$T/b/rootfs/etc/secret"
	chown 1000:1000 "$T/b/rootfs/etc/secret"
	ln -s image-name "$T/b/rootfs/etc/l"
	mkdir "$T/b/rootfs/etc/d"
	echo deep >"$T/b/rootfs/etc/d/f"
	run_bundle "$T/b"
	ok
	out_is "$(printf 'busybox\n640 1000\nimage-name\ndeep')"
	is "$(cat "$T/b/rootfs/etc/image-name")" busybox
}

@test "writes to a tmpfs do not reach the root directory" {
	sh_in 'echo x >/tmp/f; cat /tmp/f' '.mounts += [{destination: "/tmp", type: "tmpfs", source: "tmpfs"}]'
	out_is x
	is "$(ls "$T/b/rootfs/tmp")" ""
}

@test "mqueue is an empty private directory" {
	sh_in 'ls /dev/mqueue | wc -l; touch /dev/mqueue/x && echo made'
	ours || skip "only this runtime promises it"
	out_is "$(printf '0\nmade')"
	[ ! -e /dev/mqueue/x ]
}
