#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# For a bundle with an error the message names the place; it is never a crash, and never ignored.
load ../lib/harness

@test "wrong types are named with their path" {
	ours || skip "only this runtime promises it"
	refused_bundle '.process.user.uid = "root"' 'process.user.uid: expected number, got string'
	refused_bundle '.process.args = "sh"' 'process.args'
	refused_bundle '.process.args[0] = 1' 'process.args'
	refused_bundle '.process = []' 'process'
	refused_bundle '.root = "rootfs"' 'root'
	refused_bundle '.mounts = {}' 'mounts'
	refused_bundle '.mounts[2].options = "ro"' 'mounts[2].options'
	refused_bundle '.linux.namespaces[0] = "pid"' 'linux.namespaces'
	refused_bundle '.hostname = 7' 'hostname'
	refused_bundle '.annotations = {"a": 1}' 'annotations'
}

@test "missing members are named" {
	ours || skip "only this runtime promises it"
	refused_bundle 'del(.root)' 'root'
	refused_bundle 'del(.process.cwd)' 'cwd'
	refused_bundle 'del(.process)' 'process'
	refused_bundle 'del(.ociVersion)' 'ociVersion'
	refused_bundle 'del(.mounts[0].destination)' 'destination'
}

@test "numbers out of range are refused" {
	ours || skip "only this runtime promises it"
	refused_bundle '.process.user.uid = -1' 'process.user.uid'
	refused_bundle '.process.user.uid = 4294967296' 'process.user.uid'
	refused_bundle '.process.user.gid = 1.5' 'process.user.gid'
}

@test "any 1.x version is accepted, with any suffix; others are not" {
	local v
	for v in 1.0.0 1.0.2-dev 1.1.0 1.2.1 1.3.0 1.3.0+dev 1.0.0-rc.1; do
		bundle "$T/b" ".ociVersion = \"$v\" | .process.args = [\"true\"]"
		run_bundle "$T/b"
		ok
	done
	ours || skip "only this runtime promises it"
	for v in 2.0.0 0.9 banana ''; do
		refused_bundle ".ociVersion = \"$v\"" ociVersion
	done
}

@test "syntax errors, duplicate keys, bad UTF-8 and deep nesting are refused" {
	ours || skip "only this runtime promises it"
	bundle "$T/b"
	local good
	good=$(cat "$T/b/config.json")
	local text
	for text in '' '{' 'null' '[]' '"x"' "${good}x" "{\"ociVersion\":\"1.0.0\",\"ociVersion\":\"1.0.0\"}" \
		"${good/rootfs/root$'\xff\xfe'}" "$(printf '[%.0s' $(seq 100000))" \
		"{\"ociVersion\":\"1.0.0\",\"x\":$(printf '[%.0s' $(seq 5000))$(printf ']%.0s' $(seq 5000))}"; do
		printf '%s' "$text" >"$T/b/config.json"
		rt create --bundle "$T/b" x
		if [ "$rc" -ne 1 ] || [ ! -s "$T/err" ]; then
			echo "status $rc for ${text:0:60}"
			cat "$T/err"
			false
		fi
	done
}

@test "unknown members are ignored, as the specification wants" {
	bundle "$T/b" '.process.args = ["echo", "ran"] | .something = {new: [1]} | .linux.future = "x"'
	run_bundle "$T/b"
	ok
	out_is ran
}

@test "64 KiB strings and an 8 MB file are fine and quick" {
	bundle "$T/b" '.process.args = ["echo", "ran"] |
		.annotations = ([range(120) | {key: "k\(.)", value: ("v" * 65536)}] | from_entries)'
	[ "$(stat -c %s "$T/b/config.json")" -gt 7000000 ]
	local start
	start=$(now_ms)
	run_bundle "$T/b"
	ok
	out_is ran
	[ $(($(now_ms) - start)) -lt 2000 ]
}

@test "fields that cannot be honoured are refused by name" {
	ours || skip "only this runtime promises it"
	refused_bundle '.linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = [{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.namespaces += [{type: "user"}]' 'ser'
	refused_bundle '.linux.sysctl = {"kernel.core_pattern": "|/x"}' 'sysctl'
	refused_bundle '.linux.seccomp = {defaultAction: "SCMP_ACT_NOTIFY"}' 'seccomp'
	refused_bundle '.mounts += [{destination: "/x", type: "nosuchfs", source: "none"}]' 'nosuchfs'
	refused_bundle '.mounts += [{destination: "/x", type: "bind", source: "/etc", options: ["rbind", "nosuchoption"]}]' 'nosuchoption'
	# Only the caller's flags make this one wrong.
	bundle "$T/b" '.process.terminal = true'
	rt create --bundle "$T/b" x
	fails 'tty'
}

@test "20 000 mounts give an answer in time" {
	ours || skip "only this runtime promises it"
	bundle "$T/b" '.process.args = ["echo", "ran"] |
		.mounts += [range(20000) | {destination: "/m/\(.)", type: "tmpfs", source: "tmpfs"}]'
	LIMIT=60 run_bundle "$T/b"
	if [ "$rc" -eq 0 ]; then
		out_is ran
	else
		is "$rc" 1
		[ -s "$T/err" ]
	fi
	rt delete --force "$ID"
	assert_nothing_left
}

@test "more mounts than make sense are refused at once" {
	bundle "$T/b" '.mounts = [range(10001) | {destination: "/t\(.)", type: "tmpfs", source: "tmpfs"}]'
	new_id
	rt create --bundle "$T/b" "$ID"
	fails "mounts: 10001 entries, at most 10000 are accepted"
}

@test "what is compiled or parsed late is refused at once, and by explain as well" {
	ours || skip "only this runtime promises it"
	local s=.linux.seccomp
	refused_bundle '.linux.resources.cpu.cpus = "3-1"' 'linux.resources.cpu.cpus'
	refused_bundle '.process.execCPUAffinity = {initial: "x"}' 'process.execCPUAffinity.initial'
	refused_bundle '.process.execCPUAffinity = {final: "9999"}' 'process.execCPUAffinity.final'
	refused_bundle "$s = {defaultAction: \"SCMP_ACT_BLESS\"}" SCMP_ACT_BLESS
	refused_bundle "$s = {defaultAction: \"SCMP_ACT_ALLOW\", architectures: [\"SCMP_ARCH_ABACUS\"]}" SCMP_ARCH_ABACUS
	refused_bundle "$s = {defaultAction: \"SCMP_ACT_ALLOW\", flags: [\"SECCOMP_FILTER_FLAG_X\"]}" SECCOMP_FILTER_FLAG_X
	refused_bundle "$s = {defaultAction: \"SCMP_ACT_ALLOW\", defaultErrnoRet: 1}" rrno
	refused_bundle "$s = {defaultAction: \"SCMP_ACT_ALLOW\", syscalls: [{names: [\"mkdir\"], action: \"SCMP_ACT_ALLOW\", errnoRet: 5}]}" errnoRet
	refused_bundle '.process.rlimits = [range(17) | {type: "RLIMIT_NOFILE", soft: 1, hard: 1}]' process.rlimits
}
