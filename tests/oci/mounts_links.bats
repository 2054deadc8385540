#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Mount targets never lead out of the root (CVE-2021-30465 and its kin).
load ../lib/harness

@test "a destination below a link to the host's root lands inside" {
	bundle "$T/b" '.mounts += [{destination: "/vol/etc/sandlock-canary", type: "tmpfs", source: "tmpfs"}] |
		.process.args = ["sh", "-c", "ls -d /etc/sandlock-canary"]'
	ln -s / "$T/b/rootfs/vol"
	run_bundle "$T/b"
	[ ! -e /etc/sandlock-canary ]
	ok
	out_is /etc/sandlock-canary
}

@test "a destination that is a link with .. stays inside" {
	bundle "$T/b" '.mounts += [{destination: "/up/x", type: "tmpfs", source: "tmpfs"}] |
		.process.args = ["sh", "-c", "ls -d /x"]'
	ln -s ../../../../.. "$T/b/rootfs/up"
	run_bundle "$T/b"
	ok
	[ ! -e /x ]
	out_is /x
}

@test "a masked path that the image made a link masks nothing of the host" {
	bundle "$T/b" '.linux.maskedPaths += ["/link"] | .process.args = ["echo", "ran"]'
	echo canary >"$T/canary"
	ln -s "$T/canary" "$T/b/rootfs/link"
	run_bundle "$T/b"
	[ "$rc" -ne 0 ] || out_is ran
	is "$(cat "$T/canary")" canary
	rt delete --force "$ID"
}

@test "/proc as a link in the image is refused or mounted inside" {
	bundle "$T/b" '.process.args = ["sh", "-c", "test -r /proc/self/status && echo proc"]'
	rmdir "$T/b/rootfs/proc"
	ln -s "$T" "$T/b/rootfs/proc"
	run_bundle "$T/b"
	[ "$rc" -ne 0 ] || out_is proc
	[ ! -e "$T/self" ]
	rt delete --force "$ID"
}

@test "a target exchanged with a link to a canary during 100 creates" {
	mkdir -p "$T/canary/b"
	echo secret >"$T/canary/b/file"
	bundle "$T/b" '.mounts += [{destination: "/a/b", type: "bind", source: "/etc", options: ["bind"]}] |
		.process.args = ["true"]'
	mkdir -p "$T/b/rootfs/a/b"
	ln -s "$T/canary" "$T/b/rootfs/l"
	"$HELPERS/raceswap" "$T/b/rootfs/a" "$T/b/rootfs/l" 3>&- &
	local swapper=$! i made=0
	for i in $(seq 100); do
		new_id
		rt create --bundle "$T/b" "$ID"
		[ "$rc" -ne 0 ] || [ "$(state_word "$ID")" != created ] || made=$((made + 1))
		rt delete --force "$ID"
		ok
	done
	kill "$swapper"
	[ "$made" -gt 0 ]
	is "$(find "$T/canary" | sort)" "$(printf '%s\n' "$T/canary" "$T/canary/b" "$T/canary/b/file")"
	is "$(cat "$T/canary/b/file")" secret
}

@test "proc and sysfs are not mounted where the image has a link" {
	local what
	for what in proc sys; do
		bundle "$T/$what" '.process.args = ["true"]'
		rmdir "$T/$what/rootfs/$what"
		mkdir "$T/$what/rootfs/other"
		ln -s other "$T/$what/rootfs/$what"
		run_bundle "$T/$what"
		fails 'must be mounted on ordinary directory'
		rm "$T/$what/rootfs/$what"
		mkdir "$T/$what/rootfs/$what"
		run_bundle "$T/$what"
		ok
	done
}
