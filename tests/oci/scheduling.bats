#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# cpu affinity, scheduler, I/O priority, personality.
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
