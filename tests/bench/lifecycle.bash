# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# create, start, the end, delete, as a shim does it: a sub-reaper that waits for the tracked
# process. The time between start's return and the end of /bin/true counts as "end".

bench_lifecycle() {
	local round runs=${SMOKE:+2} name phase
	runs=${runs:-15}
	for ((round = 0; round < ROUNDS; round++)); do
		for name in "${RUNTIMES[@]}"; do
			# shellcheck disable=SC2046
			$(timed) "$TOOLS/lifecycle" "$runs" "$BUSYBOX_BUNDLE" "$WORK/pid" \
				$(rt_words "$name") >"$WORK/phases"
			for phase in create start end delete total; do
				# shellcheck disable=SC2046
				add_figure "lifecycle-$phase.$name" \
					$(awk -v p="$phase" '$1 == p { print $2 }' "$WORK/phases")
			done
		done
	done
	for phase in create start end delete total; do
		row_of "lifecycle: $phase" ms "" "lifecycle-$phase"
	done
}
