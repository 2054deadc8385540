# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# linux.resources.cpu.quota: how much of a processor a container gets that wants all there is, beside
# runc's cgroup; "bare" is what was asked for. They take turns, with the largest weight that there is,
# so that other work of the machine hardly counts. crun's container has no cgroup here.

SHARES=(10 25 50 75 100 150)

share_used() {
	rt "$1" events --stats bench >"$WORK/share.json"
	jq .data.cpu.usage.total "$WORK/share.json"
}

# prefer NAME: the process that callers know the container by, and its session (autogroup), which for
# this runtime is the supervisor that has to be in time. runc's has the weight of its cgroup.
prefer() {
	local pid
	pid=$(rt "$1" state bench | jq .pid)
	renice -n -20 -p "$pid" >/dev/null
	echo -20 >"/proc/$pid/autogroup" 2>/dev/null || true
}

# share_of NAME PERCENT SECONDS
share_of() {
	local name=$1 t0 t1 used
	rt "$name" run --detach --bundle "$BUSYBOX_BUNDLE" bench >/dev/null 2>&1 </dev/null
	prefer "$name"
	sleep 0.5
	t0=$(date +%s%N)
	used=$(share_used "$name")
	sleep "$3"
	used=$(($(share_used "$name") - used))
	t1=$(date +%s%N)
	rt "$name" delete --force bench >/dev/null 2>&1
	add_figure "share-$2.$name" "$(jq -n "$used * 100 / $((t1 - t0))")"
}

# One round of one share: so many seconds for each.
share_round() {
	local percent=$1 name
	make_config "$BUSYBOX_BUNDLE" \
		".linux.resources.cpu = {quota: ${percent}000, period: 100000, shares: 262144} |
		.process.args = [\"sh\", \"-c\", \"while :; do :; done & while :; do :; done\"]"
	for name in "${CONTENDERS[@]}"; do
		share_of "$name" "$percent" "$2"
	done
	add_figure "share-$percent.bare" "$percent"
}

# runc's limit is of whichever cgroups the host has, and it may have none.
share_contenders() {
	[ "$(findmnt -no SOURCE /sys/fs/cgroup | tail -n 1)" != bench ] || umount -l /sys/fs/cgroup
	CONTENDERS=(ours runc)
	make_config "$BUSYBOX_BUNDLE" '.linux.resources.cpu.quota = 50000'
	rt runc run --bundle "$BUSYBOX_BUNDLE" try >/dev/null 2>&1 || {
		rt runc delete --force try >/dev/null 2>&1 || true
		CONTENDERS=(ours)
		say "quota: runc has no cgroup with a quota here"
	}
}

bench_share() {
	local percent round seconds=${SMOKE:+1} rounds=$((ROUNDS < 3 ? ROUNDS : 3))
	seconds=${seconds:-4}
	share_contenders
	for percent in "${SHARES[@]}"; do
		for ((round = 0; round < rounds; round++)); do
			share_round "$percent" "$seconds"
		done
		row_of "quota of $percent %" % "" "share-$percent"
	done
	make_config "$BUSYBOX_BUNDLE" '.process.args = ["/bin/true"]'
	[ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ] || mount -t cgroup2 bench /sys/fs/cgroup
}
