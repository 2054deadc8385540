#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# cpu affinity, scheduler, I/O priority, personality, memory policy.
load ../lib/harness

@test "linux.resources.cpu.cpus is the affinity" {
	[ "$(nproc)" -ge 2 ]
	run_in '.linux.resources.cpu.cpus = "1" | .process.args = ["grep", "Cpus_allowed_list", "/proc/self/status"]'
	is "$(tr -d ' \t' <"$T/out")" Cpus_allowed_list:1
}

@test "a malformed cpu list is refused" {
	bundle "$T/b" '.linux.resources.cpu.cpus = "1-x" | .process.args = ["true"]'
	run_bundle "$T/b"
	[ "$rc" -ne 0 ]
	rt delete --force "$ID"
}

@test "process.scheduler sets policy and nice value" {
	ours || skip "newer than this runc"
	run_in '.process.scheduler = {policy: "SCHED_BATCH", nice: 7} | .process.args = ["probe", "sched"]'
	out_is "3 0 7"
	refused_bundle '.process.scheduler = {policy: "SCHED_FIFO", priority: 200}' 'process.scheduler.priority'
	refused_bundle '.process.scheduler = {policy: "SCHED_RR"}' 'process.scheduler.priority'
	refused_bundle '.process.scheduler = {policy: "SCHED_OTHER", priority: 1}' 'process.scheduler.priority'
}

@test "process.ioPriority sets class and level" {
	ours || skip "newer than this runc"
	run_in '.process.ioPriority = {class: "IOPRIO_CLASS_BE", priority: 6} | .process.args = ["probe", "ioprio"]'
	out_is "2 6"
	run_in '.process.ioPriority = {class: "IOPRIO_CLASS_IDLE", priority: 0} | .process.args = ["probe", "ioprio"]'
	is "$(cut -d' ' -f1 "$T/out")" 3
}

@test "linux.personality LINUX32 is set" {
	ours || skip "newer than this runc"
	run_in '.linux.personality = {domain: "LINUX32"} | .process.args = ["probe", "personality"]'
	out_is 0x8
	run_in '.process.args = ["probe", "personality"]'
	out_is 0
}

# numa FILTER: what numa_maps says of the process' own memory.
numa() {
	run_in "$1"' | .process.args = ["cat", "/proc/self/numa_maps"]'
	ok
	cut -d" " -f2 "$T/out" | sort -u
}

@test "linux.memoryPolicy is every process' own, by mode, nodes and flags" {
	ours || skip "newer than this runc"
	is "$(numa .)" default
	is "$(numa '.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "0"}')" bind:0
	is "$(numa '.linux.memoryPolicy = {mode: "MPOL_INTERLEAVE", nodes: "0", flags: ["MPOL_F_STATIC_NODES"]}')" interleave=static:0
	is "$(numa '.linux.memoryPolicy = {mode: "MPOL_LOCAL"}')" local
	is "$(numa '.linux.memoryPolicy = {mode: "MPOL_DEFAULT", nodes: ""}')" default
	# docker's default profile refuses the call to whoever has no CAP_SYS_NICE.
	is "$(numa '.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "0"} |
		.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [{names: ["set_mempolicy"], action: "SCMP_ACT_ERRNO"}]}')" bind:0
	started 'exec sleep 100' '.linux.memoryPolicy = {mode: "MPOL_PREFERRED", nodes: "0"}'
	rt exec "$ID" cat /proc/self/numa_maps
	ok
	is "$(cut -d" " -f2 "$T/out" | sort -u)" prefer:0
}

@test "linux.memoryPolicy: what is malformed, and what this machine does not have, is refused by name" {
	ours || skip "newer than this runc"
	refused_bundle '.linux.memoryPolicy = {mode: "MPOL_SPREAD"}' 'linux.memoryPolicy.mode: unknown mode'
	refused_bundle '.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "0", flags: ["X"]}' 'linux.memoryPolicy.flags[0]: unknown flag'
	refused_bundle '.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "0-"}' 'linux.memoryPolicy.nodes: "0-" is not a list'
	refused_bundle '.linux.memoryPolicy = {}' linux.memoryPolicy.mode
	refused_bundle '.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "1023"}' linux.memoryPolicy
	refused_bundle '.linux.memoryPolicy = {mode: "MPOL_BIND"}' linux.memoryPolicy
}
