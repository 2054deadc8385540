#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills the machine
# Callers are killed, stopped, replaced by execve, or lose their memory and threads during their
# calls. The supervisor goes on for the others and keeps nothing of them.
load lib

setup() {
	escape_setup
	ours || skip "a supervisor's"
	node '{"network": {"localRules": "allow"}}'
}

# kept ID: prints the number of the supervisor's descriptors, and its memory in KiB.
kept() {
	local pid
	pid=$(pid_of "$1")
	echo "$(ls "/proc/$pid/fd" | wc -l) $(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status")"
}

# weather JQ: runs the storm in a container that has another process as well, which outlives it.
weather() {
	local fds memory fds2 memory2 began
	attack_bundle "$T/b" '["/attack", "direct", "pester", "100", "0"]' ".hostname = \"storm\" | $1"
	chmod 777 "$T/b/rootfs"
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	# What is allocated once, at the first use.
	rt exec "$ID" /attack one storm 1
	ok
	read -r fds memory < <(kept "$ID")
	rt exec "$ID" /attack one storm 2
	ok
	grep "$(printf '^storm\tover')" "$T/out"
	began=$(now_ms)
	rt exec "$ID" /attack one stat /
	ok
	[ $(($(now_ms) - began)) -lt 2000 ]
	sleep 0.2
	read -r fds2 memory2 < <(kept "$ID")
	echo "descriptors $fds, then $fds2; memory $memory, then $memory2 KiB"
	[ "$fds2" -le $((fds + 1)) ]
	[ "$memory2" -le $((memory + 2048)) ]
	rt kill "$ID" KILL
	wait_state "$ID" stopped 5
	rt delete "$ID"
	ok
	rm -rf "$T/b"
}

RULES='.annotations["io.sandlock.network.allow"] = "udp://127.0.0.2:9; tcp://127.0.0.2:9"'
REMAP='.annotations["io.sandlock.network.port_remap"] = "true"'
USER='.process.user = {uid: 1000, gid: 1000} | .process.capabilities = {}'

@test "the control: without a sandbox the storm is over as well" {
	escape_root "$T/jail"
	timeout 20 unshare --ipc chroot "$T/jail" /attack one storm 2 3>&- |
		grep "$(printf '^storm\tover')"
}

@test "the default policy, as root and as a user" {
	weather .
	weather "$USER"
}

@test "with rules and replaced ports, as root and as a user" {
	LIMIT=30
	weather "$RULES | $REMAP"
	weather "$RULES | $REMAP | $USER"
}
