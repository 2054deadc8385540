#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A bundle that is wrong gets an answer that names the place, never a crash or a silence.
load ../lib/harness

# refused JQ TEXT: create fails with 1, says TEXT, leaves nothing.
refused() {
	bundle "$T/b" "$1"
	rt create --bundle "$T/b" x
	fails "$2"
	rt state x
	fails 'does not exist'
}

@test "wrong types are named with their path" {
	ours || skip "only this runtime promises it"
	refused '.process.user.uid = "root"' 'process.user.uid: expected number, got string'
	refused '.process.args = "sh"' 'process.args'
	refused '.process.args[0] = 1' 'process.args'
	refused '.process = []' 'process'
	refused '.root = "rootfs"' 'root'
	refused '.mounts = {}' 'mounts'
	refused '.mounts[2].options = "ro"' 'mounts[2].options'
	refused '.linux.namespaces[0] = "pid"' 'linux.namespaces'
	refused '.hostname = 7' 'hostname'
	refused '.annotations = {"a": 1}' 'annotations'
}

@test "missing members are named" {
	ours || skip "only this runtime promises it"
	refused 'del(.root)' 'root'
	refused 'del(.process.cwd)' 'cwd'
	refused 'del(.process)' 'process'
	refused 'del(.ociVersion)' 'ociVersion'
	refused 'del(.mounts[0].destination)' 'destination'
}

@test "numbers out of range are refused" {
	ours || skip "only this runtime promises it"
	refused '.process.user.uid = -1' 'process.user.uid'
	refused '.process.user.uid = 4294967296' 'process.user.uid'
	refused '.process.user.gid = 1.5' 'process.user.gid'
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
		refused ".ociVersion = \"$v\"" ociVersion
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
	refused '.linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = [{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.namespaces += [{type: "user"}]' 'ser'
	refused '.linux.sysctl = {"kernel.core_pattern": "|/x"}' 'sysctl'
	refused '.linux.seccomp = {defaultAction: "SCMP_ACT_NOTIFY"}' 'seccomp'
	refused '.mounts += [{destination: "/x", type: "nosuchfs", source: "none"}]' 'nosuchfs'
	refused '.mounts += [{destination: "/x", type: "bind", source: "/etc", options: ["rbind", "nosuchoption"]}]' 'nosuchoption'
	refused '.process.terminal = true' 'tty'
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
