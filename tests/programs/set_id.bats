#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs with a set-user-ID bit or file capabilities, and what reads mountinfo, as Debian builds
# them: as with runc where the root has a mount namespace.
load lib

setup() {
	harness_setup
	LIMIT=60
	mode '{"rootfs": {"mode": "namespace"}}'
	# What belongs into /etc of the image: a user that may become root, and root's password.
	mkdir "$T/etc"
	echo 'www-data ALL=(ALL) NOPASSWD: ALL' >"$T/etc/sudoers"
	chmod 440 "$T/etc/sudoers"
	# crypt(5) of "secret".
	sed 's|^root:[^:]*|root:$5$test$WWrwa4obi8ax3SJ0b/3aylCurOaJAsIBh2K09KObHWA|' "$ROOTFS/etc/shadow" >"$T/etc/shadow"
	chmod 600 "$T/etc/shadow"
	cp "$ROOTFS/bin/ping" "$ROOTFS/bin/grep" "$T/etc/"
	setcap cap_net_raw+ep "$T/etc/ping"
	setcap cap_net_raw+ep "$T/etc/grep"
}

# mode NODE-JSON
mode() {
	echo "$1" >"$T/node.json"
	if ours; then RT_GLOBALS=(--config "$T/node.json"); fi
}

# as_user SCRIPT [JQ]: bash as a user without capabilities of its own, in the read-only image.
as_user() {
	local f binds=
	for f in etc/sudoers etc/shadow opt/ping opt/grep; do
		binds+="{destination: \"/$f\", type: \"bind\", source: \"$T/etc/${f#*/}\", options: [\"bind\", \"ro\"]},"
	done
	program_in "$1" ".process.noNewPrivileges = false | .process.user = {uid: 33, gid: 33}
		| .process.capabilities |= {bounding, effective: [], permitted: [], inheritable: [], ambient: []}
		| .mounts += [${binds%,}] | ${2:-.}"
}

@test "sudo" {
	as_user 'id -u; sudo -n id -u; sudo -n -u nobody id -un; sudo -n grep ^CapBnd /proc/self/status; grep ^CapBnd /proc/self/status'
	ok
	is "$(head -3 "$T/out")" "$(printf '33\n0\nnobody')"
	is "$(tail -2 "$T/out" | sort -u | wc -l)" 1
}

@test "su with a password" {
	as_user 'echo secret | su -c "id -u" 2>/dev/null; echo wrong | su -c "id -u" 2>/dev/null; echo $?'
	ok
	out_is "$(printf '0\n1')"
}

@test "file capabilities: the effective set, and ping that has them" {
	as_user '/opt/grep ^CapEff /proc/self/status; grep ^CapEff /proc/self/status'
	ok
	is "$(tr -d '\t' <"$T/out")" "$(printf 'CapEff:0000000000002000\nCapEff:0000000000000000')"
	if ours; then
		# Raw sockets are refused whatever the capabilities: ping takes the other kind, which its
		# network namespace lets it have and a rule allows.
		mode '{"rootfs": {"mode": "namespace"}, "network": {"localRules": "allow",
			"default": ["icmp://127.0.0.1", "udp://127.0.0.1:1025"]}}'
		as_user '/opt/ping -c 1 127.0.0.1 | grep -o "1 received"' \
			'.linux.sysctl = {"net.ipv4.ping_group_range": "0 2147483647"} |
			.hooks = {createRuntime: [{path: "/bin/true"}]}'
	else
		as_user '/opt/ping -c 1 127.0.0.1 | grep -o "1 received"' \
			'.linux.namespaces |= map(select(.type != "network"))'
	fi
	out_is '1 received'
}

@test "with noNewPrivileges, or without the mode, none of them gives anything" {
	as_user 'sudo -n id -u 2>&1 | grep -o "no new privileges"' '.process.noNewPrivileges = true'
	out_is 'no new privileges'
	ours || return 0
	RT_GLOBALS=()
	as_user 'sudo -n id -u 2>&1 | grep -o "effective uid is not 0"; /opt/grep ^CapEff /proc/self/status'
	is "$(tr -d '\t' <"$T/out")" "$(printf 'effective uid is not 0\nCapEff:0000000000000000')"
}

@test "findmnt, mountpoint, df and stat -c %m" {
	as_user 'findmnt -n -o TARGET,FSTYPE /tmp; findmnt -n -o TARGET --target /usr/bin; findmnt -n -o TARGET /etc/shadow
		mountpoint -q /tmp && mountpoint -q / && ! mountpoint -q /usr && echo points
		df --output=target /tmp | tail -1; stat -c %m /tmp/. /usr/bin /etc/shadow /proc/self; findmnt -n -o OPTIONS / | cut -d, -f1'
	ok
	out_is "$(printf '%s\n' '/tmp   tmpfs' / /etc/shadow points /tmp /tmp / / /proc ro)"
}
