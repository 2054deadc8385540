#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# The main process is process 1 for its container: /proc/1. The same under runc, where the bundle
# has a pid namespace.
load ../lib/harness

setup() {
	harness_setup
	WITH_PID='.linux.namespaces |= (. + [{type: "pid"}] | unique)'
}

@test "/proc/1 is the main process: its descriptors, root, program, arguments, environment" {
	sh_in 'cd /tmp; exec 3>&1 >>/tmp/log; sh -c "echo to the main one >/proc/1/fd/1"; exec >&3; cat /tmp/log
		ls -d /proc/1/root/bin; readlink /proc/1/cwd; readlink /proc/1/exe
		tr "\0" "\n" </proc/1/environ | grep -c ^SANDLOCK_TEST_MARK=
		tr "\0" "\n" </proc/1/cmdline | head -2; grep ^Name: /proc/1/status; ls /proc/1/task | wc -l' "$WITH_PID"
	out_is "$(printf '%s\n' 'to the main one' /proc/1/root/bin /tmp /bin/busybox 1 sh -c 'Name:	sh' 1)"
}

@test "an exec'd process sees the same one" {
	started 'exec sleep 31380' "$WITH_PID"
	rt exec "$ID" sh -c 'tr "\0" " " </proc/1/cmdline; cat /proc/1/comm'
	ok
	out_is 'sleep 31380 sleep'
	rt exec --user 1000 "$ID" sh -c 'cat /proc/1/environ'
	fails "can't open '/proc/1/environ'"
	rt delete --force "$ID"
}

@test "the same where the root has a mount namespace" {
	ours || skip "only this runtime has two kinds of root"
	echo '{"rootfs": {"mode": "namespace"}}' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
	sh_in 'cat /proc/1/comm; cat /proc/2/comm 2>/dev/null || echo hidden; grep -c " /proc/1 " /proc/self/mountinfo'
	out_is "$(printf '%s\n' sh hidden 1)"
}

@test "more than one procfs, read-only ones, and other options" {
	sh_in 'for p in /proc /p2 /p3; do cat $p/1/comm; done; echo x >/p3/1/comm 2>/dev/null || echo read-only' \
		"$WITH_PID"' | .mounts += [
		{destination: "/p2", type: "proc", source: "proc", options: ["nosuid", "subset=pid"]},
		{destination: "/p3", type: "proc", source: "proc", options: ["ro"]}]'
	out_is "$(printf '%s\n' sh sh sh read-only)"
}

@test "a procfs that is made read-only as a whole" {
	sh_in 'cat /proc/1/comm; echo x >/proc/1/comm 2>/dev/null || echo read-only; cat /proc/2/comm 2>/dev/null || echo hidden' \
		"$WITH_PID"' | .linux.readonlyPaths = ["/proc"]'
	out_is "$(printf '%s\n' sh read-only hidden)"
}

@test "a procfs that is masked, covered or not there is left as the bundle has it" {
	ours || skip "it starts nothing without its own /proc"
	sh_in 'ls /proc/1; echo end' "$WITH_PID"' | .linux.maskedPaths = ["/proc/1"]'
	out_is end
	sh_in 'ls /proc; echo end' \
		'.mounts += [{destination: "/proc", type: "tmpfs", source: "tmpfs"}] | .linux.maskedPaths = [] | .linux.readonlyPaths = []'
	out_is end
	sh_in 'ls /proc; echo end' '.mounts |= map(select(.type != "proc")) | .linux.maskedPaths = [] | .linux.readonlyPaths = []'
	out_is end
	bundle "$T/b" '.linux.readonlyPaths = ["/proc/1"]'
	run_bundle "$T/b"
	fails 'readonlyPaths /proc/1: process 1 cannot be read-only by itself'
}

@test "a process that has its root there is of the container and ends with it" {
	ours || skip "a pid namespace ends it"
	started 'chroot /proc/1 /root/bin/busybox sleep 31384 & echo $!; exec sleep 31385'
	eventually 5 grep -q . "$T/$ID.out"
	eventually 5 grep -qz sleep "/proc/$(head -1 "$T/$ID.out")/cmdline"
	rt ps "$ID"
	ok
	has "$T/out" 'busybox sleep 31384'
	kill -9 "$(pid_of "$ID")" "$(init_of "$ID")"
	rt delete --force "$ID"
	ok
	is "$(marked)" ''
}
