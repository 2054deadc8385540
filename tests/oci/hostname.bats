#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# hostname and domainname are shown inside; the host's do not change.
load ../lib/harness

@test "the bundle's name is shown by uname, hostname and /proc" {
	local before
	before=$(uname -n)
	sh_in 'uname -n; hostname; cat /proc/sys/kernel/hostname' '.hostname = "shown-inside"'
	out_is "$(printf 'shown-inside\nshown-inside\nshown-inside')"
	is "$(uname -n)" "$before"
}

@test "without a name the host's is shown" {
	ours || skip "another uts namespace"
	sh_in 'uname -n'
	out_is "$(uname -n)"
}

@test "sethostname is refused" {
	local before
	before=$(uname -n)
	sh_in 'hostname intruder 2>/dev/null || echo refused' '.hostname = "shown-inside"'
	out_is refused
	is "$(uname -n)" "$before"
}

@test "domainname is shown" {
	ours || skip "only this runtime promises it"
	sh_in 'cat /proc/sys/kernel/domainname' '.hostname = "h" | .domainname = "example.test"'
	out_is example.test
}

@test "the sysctl kernel.domainname is the field domainname, and may not differ from it" {
	ours || skip "only this runtime promises it"
	local before
	before=$(cat /proc/sys/kernel/domainname)
	sh_in 'cat /proc/sys/kernel/domainname' '.hostname = "h" | .linux.sysctl["kernel.domainname"] = "sysctl.test"'
	out_is sysctl.test
	sh_in 'cat /proc/sys/kernel/domainname' '.domainname = "same.test" | .linux.sysctl["kernel.domainname"] = "same.test"'
	out_is same.test
	bundle "$T/b" '.domainname = "a.test" | .linux.sysctl["kernel.domainname"] = "b.test"'
	new_id
	rt create --bundle "$T/b" "$ID"
	fails "it conflicts with the field domainname"
	is "$(cat /proc/sys/kernel/domainname)" "$before"
}

@test "a container of a pod has the name that its caller binds over /etc/hostname" {
	local mounts='.mounts += [{destination: "/etc/hostname", type: "bind", options: ["rbind", "ro"], source: $f}]'
	echo of-the-pod >"$T/name"
	sh_in 'hostname; cat /etc/hostname /proc/sys/kernel/hostname' "del(.hostname) |
		.linux.namespaces |= map(select(.type != \"uts\")) + [{type: \"uts\", path: \"/proc/self/ns/uts\"}] |
		${mounts//\$f/\"$T/name\"}"
	out_is "$(printf 'of-the-pod\nof-the-pod\nof-the-pod')"
}

@test "who asked for a 32-bit machine is told of one, with a host name of its own too" {
	sh_in 'uname -m; uname -n; linux32 uname -m' '.hostname = "other"'
	out_is "$(printf 'x86_64\nother\ni686')"
	run_in '.hostname = "other" | .linux.personality = {domain: "LINUX32"} |
		.process.args = ["uname", "-mn"]'
	is "$(tr ' ' '\n' <"$T/out" | sort)" "$(printf 'i686\nother')"
}

@test "an /etc/hostname of the image that is a pipe, a loop or a way out is left as it is" {
	local kind
	for kind in pipe loop magic directory; do
		rm -rf "$T/b/rootfs/etc/hostname"
		bundle "$T/b" '.hostname = "shown-inside" | .process.args = ["hostname"]'
		case $kind in
		pipe) mkfifo "$T/b/rootfs/etc/hostname" ;;
		loop) ln -s hostname "$T/b/rootfs/etc/hostname" ;;
		magic) ln -s /proc/self/root/etc/hostname "$T/b/rootfs/etc/hostname" ;;
		directory) mkdir "$T/b/rootfs/etc/hostname" ;;
		esac
		run_bundle "$T/b"
		ok
		out_is shown-inside
	done
}
