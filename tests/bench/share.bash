# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# linux.resources.cpu.quota: how much of a processor a container gets that wants all there is, beside
# runc's cgroup. Both run at the same time, so others on the machine disturb both; "bare" is what was
# asked for. crun's container has no cgroup here.

SHARES=(10 25 50 75 100 150)

share_used() {
	rt "$1" events --stats bench >"$WORK/share.json"
	jq .data.cpu.usage.total "$WORK/share.json"
}

# One round of one share: so many seconds.
share_round() {
	local percent=$1 seconds=$2 name t0 t1
	declare -A used
	make_config "$BUSYBOX_BUNDLE" \
		".linux.resources.cpu = {quota: ${percent}000, period: 100000} |
		.process.args = [\"sh\", \"-c\", \"while :; do :; done & while :; do :; done\"]"
	for name in "${CONTENDERS[@]}"; do
		rt "$name" run --detach --bundle "$BUSYBOX_BUNDLE" bench >/dev/null 2>&1 </dev/null
	done
	sleep 0.5
	t0=$(date +%s%N)
	for name in "${CONTENDERS[@]}"; do
		used[$name]=$(share_used "$name")
	done
	sleep "$seconds"
	for name in "${CONTENDERS[@]}"; do
		used[$name]=$(($(share_used "$name") - used[$name]))
	done
	t1=$(date +%s%N)
	for name in "${CONTENDERS[@]}"; do
		add_figure "share-$percent.$name" "$(jq -n "${used[$name]} * 100 / $((t1 - t0))")"
		rt "$name" delete --force bench >/dev/null 2>&1
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
