#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the sockets of all shims of the machine
# Tasks with limits under containerd: `ctr task metrics`, from which kubelet and crictl have their
# figures, tells what /proc tells, within a tenth, and what runc's cgroup tells for the same work; a
# task that lacked memory says so, and so does the one that is started in its place.
load ../lib/shim

# working NAME [RUNTIME FLAGS…]: 60 MiB, a processor, ten tasks.
working() {
	local name=$1
	shift
	ctr_run_by "$@" -- "$BUSYBOX" "$name" -d --memory-limit 134217728 --cpus 0.8 \
		--mount "type=bind,src=$HELPERS,dst=/helpers,options=rbind:ro" -- \
		sh -c '/helpers/load hold anon 60 & /helpers/load tasks thread 7 & exec /helpers/load spin 1000000'
	ok
}

# metrics NAME EXPRESSION
metrics() {
	ctr_do task metrics --format json "$1"
	ok
	jq -r "$2" "$T/out"
}

# The processes of the task, without the one that containerd knows it by, which is the supervisor.
pids_of() {
	local tracked
	tracked=$("${CTR[@]}" task ls | awk -v id="$1" '$1 == id { print $2 }')
	"${CTR[@]}" task ps "$1" | awk -v tracked="$tracked" 'NR > 1 && $1 != tracked { print $1 }'
}

# used PID…: microseconds of processor time.
used() {
	local pid
	for pid in "$@"; do sed 's/.*) //' "/proc/$pid/stat"; done |
		awk -v hz="$(getconf CLK_TCK)" '{ n += $12 + $13 + $14 + $15 } END { print int(n * 1000000 / hz) }'
}

# held PID…: bytes of their own.
held() {
	local pid
	for pid in "$@"; do cat "/proc/$pid/smaps_rollup"; done | awk '/^Pss:/ { n += $2 } END { print n * 1024 }'
}

near() {
	awk -v what="$1" -v a="$2" -v b="$3" 'BEGIN {
		if (a > b * 0.9 && a < b * 1.1) exit 0
		print what ": " a " is not near " b
		exit 1
	}'
}

settled() {
	[ "$(metrics "$1" '.memory.anon // .memory.usage.usage')" -gt 62914560 ] && [ "$(metrics "$1" .pids.current)" -ge 10 ]
}

@test "metrics are what /proc tells of the same processes" {
	working "$MARK" --runtime io.containerd.sandlock.v1
	eventually 20 settled "$MARK"
	sleep 2
	pids=$(pids_of "$MARK")
	first=$(metrics "$MARK" .cpu.usage_usec)
	truth=$(used $pids)
	second=$(metrics "$MARK" .cpu.usage_usec)
	awk -v a="$first" -v t="$truth" -v b="$second" 'BEGIN { exit !(a * 0.9 <= t + 100000 && t <= b * 1.1 + 100000 && t > 200000) }' ||
		{ echo "cpu: $truth is not between $first and $second"; return 1; }
	is "$(metrics "$MARK" '.cpu | .user_usec + .system_usec == .usage_usec')" true
	near memory "$(metrics "$MARK" .memory.usage)" "$(held $pids)"
	is "$(metrics "$MARK" .memory.usage_limit)" 134217728
	is "$(metrics "$MARK" .pids.current)" "$(cat $(printf '/proc/%d/status ' $pids) | awk '/^Threads:/ { n += $2 } END { print n }')"
	[ "$(metrics "$MARK" .cpu.nr_periods)" -gt 5 ]
}

@test "metrics are near those of runc's cgroup for the same work" {
	working "$MARK" --runtime io.containerd.sandlock.v1
	eventually 20 settled "$MARK"
	working "$MARK-runc" --runtime io.containerd.runc.v2
	eventually 20 settled "$MARK-runc"
	near memory "$(metrics "$MARK" .memory.usage)" \
		"$(metrics "$MARK-runc" '.memory | if .usage.usage then .usage.usage - (.total_inactive_file // 0) else .usage - (.inactive_file // 0) end')"
	is "$(metrics "$MARK" .pids.current)" "$(metrics "$MARK-runc" .pids.current)"
}

told_twice() {
	[ "$(grep -c /tasks/oom "$T/events")" -eq 2 ] && [ "$(grep /tasks/exit "$T/events" | grep -c '"exit_status":137')" -eq 2 ]
}

lacks_memory() {
	[ "$(status_of "$MARK")" = STOPPED ] || return 1
	metrics "$MARK" '.memory_events.oom_kill' >"$T/kills"
	[ "$(cat "$T/kills")" -ge 1 ]
}

@test "a task that lacked memory is started again, lacks it again, and a third one with more lives" {
	"${CTR[@]}" events >"$T/events" 2>&1 3>&- 4>&- &
	events=$!
	"${CTR[@]}" container create --runtime io.containerd.sandlock.v1 --env "SANDLOCK_TEST_MARK=$MARK" \
		--memory-limit 33554432 --mount "type=bind,src=$HELPERS,dst=/helpers,options=rbind:ro" \
		"$BUSYBOX" "$MARK" /helpers/load hold anon 60
	for round in 1 2; do
		ctr_do task start -d "$MARK"
		ok
		eventually 20 lacks_memory
		ctr_do task delete "$MARK"
	done
	eventually 5 told_twice
	"${CTR[@]}" container rm "$MARK"
	working "$MARK" --runtime io.containerd.sandlock.v1
	eventually 20 settled "$MARK"
	is "$(status_of "$MARK")" RUNNING
	kill "$events"
}
