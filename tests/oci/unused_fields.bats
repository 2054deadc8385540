#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Fields without effect: their types are checked, and the log has a warning for limits.
load ../lib/harness

@test "types and ranges of members of linux.resources" {
	local r=.linux.resources
	refused_bundle "$r.hugepageLimits = [{pageSize: \"2MB\", limit: []}]" 'hugepageLimits[0].limit: expected number, got array'
	refused_bundle "$r.hugepageLimits = [7]" 'hugepageLimits[0]: expected object, got number'
	refused_bundle "$r.cpu = {idle: \"1\"}" 'cpu.idle: expected number'
	refused_bundle "$r.cpu = {burst: -1}" 'cpu.burst'
	refused_bundle "$r.memory = {swappiness: 1.5}" 'memory.swappiness'
	refused_bundle "$r.blockIO = {weight: 65536}" 'blockIO.weight'
	refused_bundle "$r.blockIO = {weightDevice: [{major: \"8\"}]}" 'weightDevice[0].major: expected number'
	refused_bundle "$r.blockIO = {throttleReadBpsDevice: [{rate: -1}]}" 'throttleReadBpsDevice[0].rate'
	refused_bundle "$r.network = {priorities: [{name: 1}]}" 'priorities[0].name: expected string'
	refused_bundle "$r.rdma = {a: {hcaHandles: []}}" 'hcaHandles: expected number'
	refused_bundle "$r.unified = {\"memory.max\": 1}" 'expected string'
	bundle "$T/b" '.linux.resources.cpu = {idle: 77}'
	sed -i 's/"idle": 77/"idle": 1e400/' "$T/b/config.json"
	run_bundle "$T/b"
	fails cpu.idle
	run_in '.process.args = ["true"] | .linux.resources += {hugepageLimits: [{pageSize: "2MB", limit: 1}],
		cpu: {idle: 1}, blockIO: {weight: 10, weightDevice: [{major: 8, minor: 0, weight: 10}]},
		network: {classID: 1, priorities: [{name: "lo", priority: 1}]},
		rdma: {a: {hcaHandles: 1}}, unified: {"memory.max": "1"}}'
}

@test "fileMode is a mode" {
	local d='{path: "/dev/x", type: "c", major: 1, minor: 3, fileMode: '
	refused_bundle ".linux.devices = [$d 2147483648}]" 'linux.devices[0].fileMode: 2147483648'
	run_in ".linux.devices = [$d 8630}] | .process.args = [\"true\"]"
}

@test "names have no control characters" {
	refused_bundle '.hostname = "a\u001bb"' 'hostname: has the control character 0x1b'
	refused_bundle '.domainname = "a\nb"' 'domainname: has the control character 0x0a'
}

@test "a listener that nothing would be sent to is ignored, one that is needed is refused" {
	run_in '.process.args = ["true"] | .linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW",
		listenerPath: "/run/agent", listenerMetadata: "x"}'
	refused_bundle '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", listenerPath: "/run/agent",
		syscalls: [{names: ["mkdir"], action: "SCMP_ACT_NOTIFY"}]}' 'one listener'
}

@test "limits that are not applied are one warning: on stderr, or in the log where there is one" {
	local limits='.process.args = ["true"] | .linux.resources += {memory: {reservation: 1000000, swap: -1},
		blockIO: {weight: 300}, cpu: {shares: 1024, period: 100000}}'
	local text='linux.resources: not applied: memory.reservation, blockIO.weight (needs a cgroup, and there is none)'
	run_in "$limits"
	is "$(grep -c warning "$T/err")" 1
	has "$T/err" "warning: $text"
	RT_GLOBALS=(--log "$T/log")
	run_in "$limits"
	is "$(cat "$T/err")" ""
	is "$(grep -c 'not applied' "$T/log")" 1
	has "$T/log" "level=warning msg=\"$text"
	rm "$T/log"
	run_in '.process.args = ["true"]'
	if grep 'not applied' "$T/log"; then false; fi
}

@test "update says what it does not apply, on stderr and in the log" {
	started 'sleep 100'
	RT_GLOBALS=(--log "$T/log")
	rt update --memory-swap 1000000 --blkio-weight 300 "$ID"
	ok
	has "$T/err" 'warning: update: not applied: --memory-swap, --blkio-weight'
	has "$T/log" 'level=warning msg="update: not applied: --memory-swap, --blkio-weight'
	echo '{"memory": {"limit": []}}' >"$T/r.json"
	rt update -r "$T/r.json" "$ID"
	fails 'memory.limit: expected number'
}

@test "an unknown capability is told and left out, in exec too" {
	bundle "$T/b" '.process.args = ["grep", "CapBnd", "/proc/self/status"] |
		.process.capabilities.bounding = ["CAP_KILL", "CAP_NO"] |
		.process.capabilities.effective = ["CAP_NO", "CAP_NOPE"] |
		.process.capabilities.permitted = []'
	run_bundle "$T/b"
	ok
	has "$T/err" 'ignoring unknown or unavailable capabilities: [CAP_NO CAP_NOPE]'
	out_is "$(printf 'CapBnd:\t0000000000000020')"
	started 'sleep 100'
	jq -n '{cwd: "/", args: ["/bin/true"], capabilities: {bounding: ["CAP_NOPE"]}}' >"$T/p.json"
	rt exec --process "$T/p.json" "$ID"
	ok
	has "$T/err" 'ignoring unknown or unavailable capabilities: [CAP_NOPE]'
	rt exec --cap CAP_NONE --cap CAP_KILL "$ID" grep CapPrm /proc/self/status
	ok
	has "$T/err" 'ignoring unknown or unavailable capabilities: [CAP_NONE]'
	[ $((16#$(cut -f2 "$T/out") & 32)) -eq 32 ]
}

@test "a capability without a name is told as an unknown one" {
	ours || skip "only this runtime tells it so"
	RT_GLOBALS=(--log "$T/log")
	run_in '.process.capabilities.bounding += ["", "CAP_NOBODY", ""] | .process.args = ["true"]'
	has "$T/log" CAP_NOBODY
}
