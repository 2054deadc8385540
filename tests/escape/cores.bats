#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Core dumps (core(5)). A core of the container's processes stays in the container. The runtime's
# processes, which have the bundle and the node policy in memory, leave no core.
load lib

# everywhere: prints the core files of this test.
everywhere() {
	find "$T" -name 'core*' -type f | sort
}

setup() {
	escape_setup
	ulimit -c unlimited
	read -r PATTERN </proc/sys/kernel/core_pattern
	# With such a pattern cores go to the host's program or directory, as for any container.
	case $PATTERN in
	'|'* | /*) ELSEWHERE=1 ;;
	*) ELSEWHERE= ;;
	esac
}

LIMITS='.process.rlimits = [{type: "RLIMIT_CORE", soft: 1000000000, hard: 1000000000}]'

@test "a crash of the container's process leaves its core below its own root" {
	bundle "$T/b" "$LIMITS | .process.cwd = \"/tmp\" | .process.args = [\"sh\", \"-c\", \"kill -SEGV \$\$\"]"
	run_bundle "$T/b"
	is "$rc" 139
	everywhere
	is "$(everywhere | grep -vc "^$T/b/rootfs/tmp/core")" 0
	[ -n "$ELSEWHERE" ] || is "$(everywhere | wc -l)" 1
}

@test "the runtime's own processes leave none" {
	local pid who
	# The control: a process of the same caller leaves a core.
	mkdir "$T/control"
	(cd "$T/control" && exec sleep 100) </dev/null >/dev/null 2>&1 3>&- 4>&- &
	pid=$!
	sleep 0.1
	kill -SEGV $pid
	wait $pid || true
	[ -n "$ELSEWHERE" ] || is "$(everywhere | wc -l)" 1
	rm -rf "$T/control"
	for who in supervisor init; do
		# The supervisor passes the signal on to the main process, whose limit allows no core.
		# Init blocks the signal.
		started 'sleep 100' '.process.rlimits = [{type: "RLIMIT_CORE", soft: 0, hard: 0}]'
		pid=$(pid_of "$ID")
		[ $who = supervisor ] || pid=$(init_of "$ID")
		kill -SEGV "$pid"
		sleep 0.3
		rt delete --force "$ID"
		ok
		is "$(everywhere)" ""
	done
}
