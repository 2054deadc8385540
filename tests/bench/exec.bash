# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# exec of /bin/true in a running container: one at a time, and four at once.

exec_many() {
	local name=$1 n=$2 t0 t1
	t0=$(date +%s%N)
	# shellcheck disable=SC2046
	seq "$n" | $(timed) xargs -P 4 -I{} $(rt_words "$name") exec bench /bin/true
	t1=$(date +%s%N)
	add_figure "exec-rate.$name" $((n * 1000000000 / (t1 - t0)))
}

bench_exec() {
	local round runs=${SMOKE:+2} name commands=()
	runs=${runs:-25}
	make_config "$BUSYBOX_BUNDLE" '.process.args = ["/bin/sleep", "1000"]'
	commands=("bare=$BUSYBOX_BUNDLE/rootfs/bin/busybox true")
	for name in "${RUNTIMES[@]}"; do
		rt "$name" run --detach --bundle "$BUSYBOX_BUNDLE" bench >/dev/null 2>&1 </dev/null
		commands+=("$name=$(rt_words "$name") exec bench /bin/true")
	done
	for ((round = 0; round < ROUNDS; round++)); do
		hyperfine_round "$runs" exec "${commands[@]}"
		for name in "${RUNTIMES[@]}"; do
			exec_many "$name" $((runs * 2))
		done
	done
	for name in "${RUNTIMES[@]}"; do
		rt "$name" delete --force bench >/dev/null 2>&1
	done
	make_config "$BUSYBOX_BUNDLE" '.process.args = ["/bin/true"]'
	row_of "exec true" ms "" exec
	row_of "exec true, 4 at once" "1/s" "" exec-rate
}
