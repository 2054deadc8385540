#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# process.cwd is entered as root or as the user, is made when it is missing, and is refused when it
# is not inside the root.
load ../lib/harness

@test "pwd is the bundle's cwd" {
	sh_in '/bin/pwd; cd ..; cd ../../..; /bin/pwd' '.process.cwd = "/usr/bin"'
	out_is "$(printf '/usr/bin\n/')"
}

@test "a private directory of the user works without capabilities" {
	bundle "$T/b" '.process.user = {uid: 1000, gid: 1000} | .process.cwd = "/home/u1" |
		del(.process.capabilities) | .process.args = ["pwd"]'
	chmod 700 "$T/b/rootfs/home/u1"
	run_bundle "$T/b"
	ok
	out_is /home/u1
}

@test "a private directory of root works for another user, in exec too" {
	bundle "$T/b" '.process.user = {uid: 1000, gid: 1000} | .process.cwd = "/closed" |
		del(.process.capabilities) | .process.args = ["pwd"]'
	mkdir -m 700 "$T/b/rootfs/closed"
	run_bundle "$T/b"
	ok
	out_is /closed
	started 'sleep 100' '.process.cwd = "/root" | del(.process.capabilities)'
	chmod 700 "$T/$ID/rootfs/root"
	rt exec --user 1000:1000 "$ID" sh -c 'id -u; pwd; ls . 2>&1 | grep -o Permission.*'
	ok
	out_is "$(printf "1000\n/root\nPermission denied")"
}

@test "a private directory that neither root nor the user may enter is an error that names it" {
	bundle "$T/b" '.process.user = {uid: 1000, gid: 1000} | .process.cwd = "/closed" |
		del(.process.capabilities) | .process.args = ["pwd"]'
	mkdir -m 700 "$T/b/rootfs/closed"
	chown 500 "$T/b/rootfs/closed"
	run_bundle "$T/b"
	[ "$rc" -ne 0 ]
	out_is ""
	has "$T/err" /closed
	rt delete --force "$ID"
}

@test "a missing cwd is made before what it lies in becomes read-only" {
	run_in '.process.cwd = "/missing/too" | .root.readonly = true | .process.args = ["pwd"] |
		.process.user = {uid: 1000, gid: 1000}'
	out_is /missing/too
	is "$(stat -c %a:%u "$T/b/rootfs/missing/too")" 755:0
	sh_in 'pwd; touch x 2>&1' '.process.cwd = "/srv/in/tmpfs" | .process.args = ["pwd"] |
		.mounts += [{destination: "/srv", type: "tmpfs", source: "tmpfs", options: ["ro"]}]' || true
	is "$rc" 1
	out_is "$(printf '/srv/in/tmpfs\ntouch: x: Read-only file system')"
}

@test "a relative cwd is refused" {
	bundle "$T/b" '.process.cwd = "relative"'
	create x "$T/b"
	fails 'Cwd must be an absolute path'
}

@test "a cwd that is a file is refused" {
	control
	bundle "$T/b" '.process.cwd = "/etc/passwd" | .process.args = ["pwd"]'
	run_bundle "$T/b"
	[ "$rc" -ne 0 ]
	rt delete --force "$ID"
}

# CVE-2024-21626: a descriptor of the runtime that leads out of the container.
@test "a cwd through /proc/self/fd is refused for every number" {
	control
	local n
	for n in $(seq 3 24); do
		bundle "$T/b" ".process.cwd = \"/proc/self/fd/$n\" | .process.args = [\"pwd\"]"
		run_bundle "$T/b"
		if [ "$rc" -eq 0 ]; then
			echo "fd $n:"
			cat "$T/out"
			false
		fi
		rt delete --force "$ID"
	done
}

@test "a cwd that is a link to /proc/self/fd is refused for every number" {
	control
	local n
	for n in $(seq 3 24); do
		bundle "$T/b" '.process.cwd = "/link" | .process.args = ["pwd"]'
		ln -sfn "/proc/self/fd/$n" "$T/b/rootfs/link"
		run_bundle "$T/b"
		if [ "$rc" -eq 0 ]; then
			echo "fd $n:"
			cat "$T/out"
			false
		fi
		rt delete --force "$ID"
	done
}

# The same bundle with a directory as cwd runs.
control() {
	run_in '.process.cwd = "/usr" | .process.args = ["pwd"]'
	out_is /usr
}
