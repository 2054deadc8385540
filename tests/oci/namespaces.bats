#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# No namespace and no cgroup: every process of the container is in the caller's.
load ../lib/harness

@test "namespaces and cgroup of every process equal the caller's" {
	ours || skip "only this runtime promises it"
	started 'sleep 100'
	local p n mine
	for p in $(pid_of "$ID") $(init_of "$ID") $(workload_of "$ID"); do
		for n in /proc/self/ns/*; do
			n=${n##*/}
			case $n in *_for_children) continue ;; esac
			is "$p $n $(readlink "/proc/$p/ns/$n")" "$p $n $(readlink "/proc/$$/ns/$n")"
		done
		is "$(cat "/proc/$p/cgroup")" "$(cat "/proc/$$/cgroup")"
	done
}

@test "the processes carry their names" {
	ours || skip "only this runtime promises it"
	started 'sleep 100'
	is "$(cat "/proc/$(pid_of "$ID")/comm")" 'sandlock:[super'
	is "$(cat "/proc/$(init_of "$ID")/comm")" 'sandlock:[init]'
}

@test "/proc/<tracked pid>/root is the container's root" {
	ours || skip "only this runtime promises it"
	started 'sleep 100'
	is "$(cat "/proc/$(pid_of "$ID")/root/etc/image-name")" busybox
}
