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
