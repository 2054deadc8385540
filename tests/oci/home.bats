#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# HOME: from the container's own passwd when the bundle does not set it.
load ../lib/harness

@test "HOME comes from the image's passwd" {
	sh_in 'echo $HOME' '.process.user = {uid: 1000, gid: 1000}'
	out_is /home/u1
	sh_in 'echo $HOME'
	out_is /root
}

@test "HOME of an unknown uid is the root directory" {
	sh_in 'echo $HOME' '.process.user = {uid: 4242, gid: 4242}'
	out_is /
}

@test "HOME of the bundle is kept" {
	sh_in 'echo $HOME' '.process.env += ["HOME=/elsewhere"]'
	out_is /elsewhere
}

@test "an empty HOME stands for none" {
	run_in '.process.env += ["HOME="] | .process.args = ["env"]'
	is "$(grep ^HOME "$T/out")" HOME=/root
	run_in '.process.env += ["HOME=/x", "HOME="] | .process.args = ["env"]'
	is "$(grep ^HOME "$T/out")" HOME=/root
}

@test "a passwd that is a link to the outside is not followed there" {
	bundle "$T/b" '.process.user = {uid: 4243, gid: 4243} | .process.args = ["sh", "-c", "echo $HOME"]'
	rm "$T/b/rootfs/etc/passwd"
	echo 'evil:x:4243:4243::/evil:/bin/sh' >"$T/passwd"
	ln -s "$T/passwd" "$T/b/rootfs/etc/passwd"
	run_bundle "$T/b"
	ok
	out_is /
}

# The control arm of each: who just reads it does not get to its end.
@test "a passwd that is no file, or all hole, holds nobody up: create and exec" {
	local kind began
	started 'sleep 100' '.process.env = ["PATH=/bin"]'
	for kind in pipe zero terminal hole nul; do
		rm -f "$T/$ID/rootfs/etc/passwd"
		case $kind in
		pipe) mkfifo "$T/$ID/rootfs/etc/passwd" ;;
		zero) ln -s /dev/zero "$T/$ID/rootfs/etc/passwd" ;;
		terminal) ln -s /dev/ptmx "$T/$ID/rootfs/etc/passwd" ;;
		hole) truncate -s 1T "$T/$ID/rootfs/etc/passwd" ;;
		nul) printf '\0\n:::\nroot:x:0:0:g\0g:/h:/s\n' >"$T/$ID/rootfs/etc/passwd" ;;
		esac
		case $kind in
		pipe | zero | terminal | hole)
			timeout -s KILL 0.2 setsid chroot "$T/$ID/rootfs" sh -c \
				'[ -c /dev/zero ] || { mknod /dev/zero c 1 5; mknod /dev/ptmx c 5 2; }
				while read -r l; do :; done </etc/passwd' >/dev/null 2>&1 3>&- && return 1
			;;
		esac
		began=$(now_ms)
		LIMIT=5 rt exec "$ID" sh -c 'echo $HOME'
		ok
		out_is /
		bundle "$T/$ID" '.process.env = ["PATH=/bin"] | .process.args = ["sh", "-c", "echo $HOME"]'
		local main=$ID
		LIMIT=5 run_bundle "$T/$ID"
		ok
		out_is /
		ID=$main
		[ $(($(now_ms) - began)) -lt 5000 ]
	done
	rt delete --force "$ID"
}
