#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The root contains the image only, in every way of making the tree.
load ../lib/harness

MODES='{} {"rootfs":{"mode":"namespace"}} {"rootfs":{"assembly":"staged"}} {"rootfs":{"mode":"namespace","assembly":"staged"}}'

@test "the root is the image's and .. ends there" {
	sh_in 'cat /etc/image-name; cd /; cd ..; cd ../../..; cat etc/image-name; ls -di / | cut -d/ -f1 | tr -d " "; ls -di /.. | cut -d/ -f1 | tr -d " "'
	is "$(head -2 "$T/out" | sort -u)" busybox
	is "$(tail -2 "$T/out" | uniq | wc -l)" 1
}

@test "root.readonly" {
	sh_in 'touch /x 2>&1; touch /run/x && echo run; touch /dev/shm/y && echo shm' '.root.readonly = true'
	grep -qi 'read-only' "$T/out"
	has "$T/out" run
	has "$T/out" shm
	[ ! -e "$T/b/rootfs/x" ]
}

@test "without readonly writes reach the root directory" {
	sh_in 'echo x >/written'
	is "$(cat "$T/b/rootfs/written")" x
}

@test "an absolute root path" {
	bundle "$T/b" '.process.args = ["cat", "/etc/image-name"] | .root.path = "'"$T/b/rootfs"'"'
	run_bundle "$T/b"
	ok
	out_is busybox
}

@test "every way of assembling gives the same view" {
	ours || skip "only this runtime promises it"
	local mode
	for mode in $MODES; do
		echo "$mode" >"$T/node.json"
		RT_GLOBALS=(--config "$T/node.json")
		sh_in 'cat /etc/image-name; [ -c /dev/null ] && echo dev; [ -d /proc/self ] && echo proc; touch /run/x && echo run; [ -d /sys/class ] && echo sys; pwd'
		out_is "$(printf 'busybox\ndev\nproc\nrun\nsys\n/')"
		assert_nothing_left
	done
}

@test "the host's mount table does not change while a container runs" {
	ours || skip "a namespace hides it"
	started 'sleep 100'
	mount_table >"$T/mounts.during"
	diff "$T/mounts.before" "$T/mounts.during"
}
