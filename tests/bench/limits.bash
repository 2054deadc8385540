# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# linux.resources.memory.limit: by how much programs that fill memory as fast as they can exceed it
# before they are killed. The peak is read from a memory cgroup around the whole container, runtime
# and page cache included, so some 3 MiB are not the program's. "no real-time rights": SCHED_FIFO is
# refused; "polled": perf events are.

# what|arguments of load|limit in MiB
OVERSHOOTS=(
	"1 process|hurry anon 256 1|16"
	"1 process|hurry anon 256 1|64"
	"1 process|hurry anon 256 1|256"
	"1 process|hurry anon 512 1|1024"
	"1 process|hurry anon 512 1|4096"
	"2 processes|hurry anon 64 2|256"
	"8 processes|hurry anon 64 8|256"
	"8 processes|hurry anon 256 8|4096"
	"64 processes|hurry anon 16 64|256"
	"64 processes|hurry anon 64 64|2048"
	"1000 processes of 2 MiB|hold anon 2 1000|256"
	"1 process, huge pages|hurry huge 256 1|256"
	"8 processes, huge pages|hurry huge 256 8|512"
	"8 processes write to 100 MiB of their parent's|hold cow-written 100 8|256"
	"64 processes write to 100 MiB of their parent's|hold cow-written 100 64|512"
	"2 processes, shared mappings|hurry shared 64 2|256"
	"1 process, memfd|hurry memfd 64 1|256"
	"8 processes, memfd by fallocate|hurry memfd-unmapped 64 8|256"
	"1 process, tmpfs, deleted|hurry deleted 64 1|256"
	"8 processes, tmpfs, deleted|hurry deleted 64 8|1024"
)

# Sets CGROUP, where a memory cgroup can be made, and PEAK, the file with its peak.
find_cgroup() {
	[ "$(findmnt -no SOURCE /sys/fs/cgroup | tail -n 1)" != bench ] || umount -l /sys/fs/cgroup
	CGROUP=/sys/fs/cgroup/memory PEAK=memory.max_usage_in_bytes
	[ ! -e "$CGROUP/memory.usage_in_bytes" ] || return 0
	CGROUP=/sys/fs/cgroup PEAK=memory.peak
	grep -qsw memory "$CGROUP/cgroup.subtree_control"
}

# overshoot NAME LOAD-ARGUMENTS MIB [PREFIX...]: one run; adds the MiB over the limit.
overshoot() {
	local name=$1 words=$2 limit=$3 group=$CGROUP/bench.$$ i
	shift 3
	# shellcheck disable=SC2086
	make_config "$BUSYBOX_BUNDLE" ".process.args = [\"/bin/load\"] + \$ARGS.positional
		| (.mounts[] | select(.destination == \"/dev/shm\")).options = [\"size=16g\"]
		| .linux.resources = {memory: {limit: ($limit * 1048576)}}" $words
	mkdir "$group"
	(
		echo "$BASHPID" >"$group/cgroup.procs"
		# shellcheck disable=SC2046
		exec "$@" $(rt_words ours) run --detach --bundle "$BUSYBOX_BUNDLE" bench
	) >/dev/null 2>&1 </dev/null
	for ((i = 0; i < 40; i++)); do
		sleep 0.1
		[ "$(rt ours state bench | jq -r .status)" = running ] || break
	done
	add_figure "$name.ours" "$((($(<"$group/$PEAK") >> 20) - limit))"
	rt ours delete --force bench >/dev/null
	rmdir "$group"
}

bench_limits() {
	local without=$SANDLOCK_BUILD/tests/helpers/without row what words limit round rounds=$((ROUNDS > 7 ? 3 : 1)) n=0
	find_cgroup || { say "limits: no memory cgroup that could tell the peak"; return; }
	cp "$SANDLOCK_BUILD/tests/helpers/load" "$BUSYBOX_BUNDLE/rootfs/bin/load"
	for row in "${OVERSHOOTS[@]}"; do
		IFS='|' read -r what words limit <<<"$row"
		[ -z "$SMOKE" ] || [ "$limit" = 512 ] || continue
		for ((round = 0; round < rounds; round++)); do
			overshoot "over-$n" "$words" "$limit"
			overshoot "over-$n-nice" "$words" "$limit" "$without" sched_setscheduler --
			overshoot "over-$n-polled" "$words" "$limit" "$without" perf_event_open --
		done
		row_of "over $limit MiB: $what" MiB "$((limit < 320 ? 16 : limit / 20))" "over-$n"
		row_of "the same, no real-time rights" MiB "" "over-$n-nice"
		row_of "the same, polled" MiB "" "over-$n-polled"
		n=$((n + 1))
	done
	make_config "$BUSYBOX_BUNDLE" '.process.args = ["/bin/true"]'
	[ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ] || mount -t cgroup2 bench /sys/fs/cgroup
}
