# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Five hundred tasks and as many pods, made and removed under containerd with this runtime's shim: nothing
# may be left of them, and the memory stays what it was. PODS is another number.

. "$BENCH/shim.bash"

bench_soak() {
	local dir=$WORK/containerd kind count=${PODS:-${SMOKE:+10}}
	shim_prepare "$dir"
	for kind in task pod; do
		note "soak: $kind"
		shim_pods "$dir" "$kind" "${count:-500}" soak "$SHIM_NATIVE"
	done
	say "soak: nothing was left of ${count:-500} tasks and as many pods"
}
