#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# process.capabilities: exactly the five sets (CVE-2022-29162: no inheritable by accident).
load ../lib/harness

caps() {
	grep -E "^Cap$1:" "$T/out" | tr -d ' \t' | cut -d: -f2
}

# containerd's default set.
DEFAULT=00000000a80425fb

@test "root has the bundle's sets, inheritable and ambient empty" {
	# A view of /proc that shows every process of the container may cost root one more
	# effective bit, CAP_SYS_PTRACE, which Landlock bounds to the container.
	run_in '.process.args = ["cat", "/proc/self/status"]'
	local with_view
	with_view=$(printf '%016x' $((16#$DEFAULT | 1 << 19)))
	is "$(caps Inh)" 0000000000000000
	is "$(caps Amb)" 0000000000000000
	local set
	for set in Prm Eff Bnd; do
		[ "$(caps $set)" = "$DEFAULT" ] || is "$(caps $set)" "$with_view"
	done
}

@test "a user has none, and the bundle's bounding set" {
	run_in '.process.user = {uid: 1000, gid: 1000} | .process.args = ["cat", "/proc/self/status"]'
	is "$(caps Inh) $(caps Prm) $(caps Eff) $(caps Amb)" \
		"0000000000000000 0000000000000000 0000000000000000 0000000000000000"
	is "$(caps Bnd)" "$DEFAULT"
}

@test "a user has the ambient set that the bundle gives" {
	run_in '.process.user = {uid: 1000, gid: 1000} |
		.process.capabilities = {bounding: ["CAP_NET_BIND_SERVICE"],
			effective: ["CAP_NET_BIND_SERVICE"], permitted: ["CAP_NET_BIND_SERVICE"],
			inheritable: ["CAP_NET_BIND_SERVICE"], ambient: ["CAP_NET_BIND_SERVICE"]} |
		.process.args = ["cat", "/proc/self/status"]'
	is "$(caps Inh) $(caps Prm) $(caps Eff) $(caps Bnd) $(caps Amb)" \
		"0000000000000400 0000000000000400 0000000000000400 0000000000000400 0000000000000400"
}

@test "without the object root has none" {
	ours || skip "only this runtime promises it"
	run_in 'del(.process.capabilities) | .process.args = ["cat", "/proc/self/status"]'
	local v
	v=$((16#$(caps Eff) & ~(1 << 19)))
	is "$v" 0
}

@test "a bit that nothing can fence is refused and the node option is named" {
	ours || skip "only this runtime promises it"
	bundle "$T/b" '.process.capabilities.bounding += ["CAP_SYS_ADMIN"]'
	create x "$T/b"
	fails CAP_SYS_ADMIN
	has "$T/err" unfenced
}

@test "dropping all leaves none, for root too" {
	run_in '.process.capabilities |= map_values([]) |
		.process.args = ["grep", "^Cap", "/proc/self/status"]'
	is "$(tr -d ' \t' <"$T/out" | grep -vc ':0000000000000000$')" 0
}
