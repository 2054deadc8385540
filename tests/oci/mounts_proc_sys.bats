#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# /proc and /sys: masks, read-only paths, and what tools expect to find.
load ../lib/harness

@test "masked files are empty, masked directories too" {
	sh_in 'for p in /proc/kcore /proc/keys /proc/timer_list; do
			[ ! -e $p ] || [ "$(head -c 100 $p | wc -c)" = 0 ] || echo content $p; done
		for d in /proc/acpi /proc/scsi /sys/firmware; do
			[ ! -e $d ] || [ -z "$(ls $d)" ] || echo entries $d; done; echo end'
	out_is end
}

@test "read-only paths refuse writes with EROFS" {
	sh_in 'for p in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/kernel/hostname; do
		[ ! -e $p ] || (echo x >$p) 2>&1 | grep -q "Read-only file system" || echo wrote $p; done; echo end'
	out_is end
}

@test "/sys is read-only" {
	sh_in '[ -d /sys/class ] && (echo x >/sys/kernel/mm/ksm/run) 2>&1 | grep -o "Read-only file system"'
	out_is "Read-only file system"
}

@test "a mask on an ordinary file and directory of the image" {
	bundle "$T/b" '.linux.maskedPaths += ["/secret-file", "/secret-dir"] |
		.process.args = ["sh", "-c", "cat /secret-file; ls /secret-dir; echo x >/secret-dir/y 2>/dev/null || echo refused"]'
	echo s >"$T/b/rootfs/secret-file"
	mkdir "$T/b/rootfs/secret-dir"
	echo s >"$T/b/rootfs/secret-dir/f"
	run_bundle "$T/b"
	ok
	out_is refused
}

@test "a read-only path of the image" {
	bundle "$T/b" '.linux.readonlyPaths += ["/keep"] |
		.process.args = ["sh", "-c", "cat /keep/f; echo x >/keep/f 2>/dev/null || echo refused"]'
	mkdir "$T/b/rootfs/keep"
	echo kept >"$T/b/rootfs/keep/f"
	run_bundle "$T/b"
	ok
	out_is "$(printf 'kept\nrefused')"
}

@test "df and mount find a table" {
	ours || skip "only this runtime promises it"
	sh_in 'df / >/dev/null && mount | grep -q " / " && echo table'
	out_is table
}

@test "a /proc and a /sys that are read-only as a whole hide what others hide" {
	ours || skip "only this runtime promises it"
	local what='mount | grep -c " / "; cat /proc/net/dev | cut -d: -f1; ls /sys/class/net /sys/devices/virtual/net' t
	sh_in "$what"
	mv "$T/out" "$T/usual"
	started "$what; exec sleep 31386" '.linux.readonlyPaths = ["/proc", "/sys"]'
	for t in /proc/"$(init_of "$ID")"/task/*; do
		rt exec "$ID" test -e "/proc/${t##*/}/status"
		is "$rc" 1
	done
	rt delete --force "$ID"
	diff "$T/usual" "$T/$ID.out"
}

@test "a cgroup mount shows the limits and is read-only" {
	ours || skip "only this runtime promises it"
	sh_in 'cd /sys/fs/cgroup && cat memory.max cpu.max pids.max; (echo 1 >memory.max) 2>/dev/null || echo ro' \
		'.mounts += [{destination: "/sys/fs/cgroup", type: "cgroup", source: "cgroup", options: ["ro", "nosuid", "noexec", "nodev", "relatime"]}] |
		.linux.resources.memory = {limit: 67108864} | .linux.resources.cpu = {quota: 50000, period: 100000} |
		.linux.resources.pids = {limit: 77}'
	out_is "$(printf '67108864\n50000 100000\n77\nro')"
}

@test "mounts below a cgroup mount: a directory, a deeper one, a file; what is mounted there can be written" {
	ours || skip "cgroups exist elsewhere"
	mkdir "$T/host"
	echo given >"$T/file"
	sh_in 'cd /sys/fs/cgroup && echo x >systemd/written && ls a/b && cat a/f; (echo 1 >a/new) 2>/dev/null || echo ro; cat pids.max' \
		".mounts += [{destination: \"/sys/fs/cgroup\", type: \"cgroup\", source: \"cgroup\", options: [\"ro\"]},
		{destination: \"/sys/fs/cgroup/systemd\", type: \"bind\", source: \"$T/host\", options: [\"bind\"]},
		{destination: \"/sys/fs/cgroup/a/b\", type: \"tmpfs\", source: \"tmpfs\"},
		{destination: \"/sys/fs/cgroup/a/f\", type: \"bind\", source: \"$T/file\", options: [\"bind\", \"ro\"]}]"
	out_is "$(printf 'given\nro\nmax')"
	is "$(cat "$T/host/written")" x
}

@test "a bind of the host's cgroup, as for systemd, is the made up directory too" {
	ours || skip "cgroups exist elsewhere"
	bundle "$T/b" '.mounts += [{destination: "/sys/fs/cgroup", type: "cgroup", source: "cgroup", options: ["rw"]},
		{destination: "/sys/fs/cgroup/systemd", type: "bind", source: "/sys/fs/cgroup", options: ["bind", "rprivate", "rw"]}] |
		.process.args = ["sh", "-c", "cat /sys/fs/cgroup/pids.max; cd /sys/fs/cgroup/systemd && cat pids.max; mkdir x 2>/dev/null || echo ro; ls -d cgroup.procs 2>/dev/null"] |
		.linux.resources.pids = {limit: 77}'
	run_bundle "$T/b"
	is "$(cat "$T/out")" "$(printf '77\n77\nro')"
	rt policy explain --bundle "$T/b"
	ok
	is "$(grep -c 'sys/fs/cgroup.*approximated .*made up: no cgroup exists' "$T/out")" 2
	sh_in 'cat /sys/fs/cgroup/pids.max' \
		'.mounts += [{destination: "/sys/fs/cgroup", type: "bind", source: "/sys/fs/cgroup", options: ["rbind", "ro"]}]'
	out_is max
	bundle "$T/c" '.mounts += [{destination: "/mnt", type: "bind", source: "/sys/fs/cgroup/systemd/../systemd", options: ["bind"]}]'
	mkdir -p "$T/c/rootfs/mnt"
	run_bundle "$T/c"
	fails cgroup
}

@test "a bind of the host's /proc, as podman makes without privileges, is a procfs of the container" {
	ours || skip "runc shows the host's"
	sh_in 'ls -d /proc/[0-9]* | wc -l; (echo x >/proc/sysrq-trigger) 2>/dev/null || echo ro' '.mounts |= map(select(.destination != "/proc"))
		+ [{destination: "/proc", type: "bind", source: "/proc", options: ["rbind", "nosuid", "noexec", "nodev", "rw"]}]'
	[ "$(head -1 "$T/out")" -le 4 ]
	is "$(tail -1 "$T/out")" ro
	bundle "$T/c" '.mounts += [{destination: "/mnt", type: "bind", source: "/proc", options: ["bind"]}]'
	mkdir -p "$T/c/rootfs/mnt"
	run_bundle "$T/c"
	fails procfs
}

@test "a cgroup mount without limits says max" {
	ours || skip "only this runtime promises it"
	sh_in 'cd /sys/fs/cgroup && cat memory.max pids.max' \
		'.mounts += [{destination: "/sys/fs/cgroup", type: "cgroup", source: "cgroup", options: ["ro"]}]'
	out_is "$(printf 'max\nmax')"
}

@test "without readonlyPaths the host's settings in /proc stay read-only" {
	ours || skip "runc lets a bundle open them"
	sh_in 'echo x 2>/dev/null >/proc/sys/kernel/core_pattern || echo refused; cat /proc/sys/kernel/ostype' \
		'del(.linux.readonlyPaths, .linux.maskedPaths)'
	out_is "$(printf 'refused\nLinux')"
}
