#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every process of a container is in the caller's namespaces and cgroup.
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

@test "a pid namespace that is shared: own processes only, said in the log and by policy explain" {
	ours || skip "only this runtime has none"
	RT_GLOBALS=(--log "$T/log")
	sh_in 'ls -d /proc/[0-9]* | wc -l; kill -0 '$$' 2>/dev/null || echo hidden' 'del(.linux.namespaces[] | select(.type == "pid"))'
	[ "$(sed -n 1p "$T/out")" -le 4 ]
	is "$(sed -n 2p "$T/out")" hidden
	has "$T/log" "without a pid namespace too the container sees its own processes only"
	rm "$T/log"
	sh_in true '(.linux.namespaces[] | select(.type == "pid")) += {path: "/proc/self/ns/pid"}'
	has "$T/log" "the pid namespace /proc/self/ns/pid is not joined"
	rt policy explain --bundle "$T/b"
	ok
	has "$T/out" "note: linux.namespaces: the pid namespace /proc/self/ns/pid is not joined"
	# The control arm: who asks for an own one is told nothing of it.
	rm "$T/log"
	sh_in true
	! grep -F "pid namespace" "$T/log"
}

@test "slave propagation into a detached root: later mounts of the host are not seen, and it is said" {
	ours || skip "only this runtime has a detached root"
	local volume='.mounts += [{destination: "/v", type: "bind", source: "/opt", options: ["rbind", "'
	RT_GLOBALS=(--log "$T/log")
	sh_in true "${volume}rslave\"]}]"
	has "$T/log" "mounts: /v asks for slave propagation"
	rt policy explain --bundle "$T/b"
	ok
	has "$T/out" "note: mounts: /v asks for slave propagation"
	# The control arm: a private one is as it was asked for.
	rm "$T/log"
	sh_in true "${volume}rprivate\"]}]"
	! grep -F propagation "$T/log"
}
