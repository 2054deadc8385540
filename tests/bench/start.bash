# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# `run` of /bin/true, from nothing to nothing left, against exec of the same binary.

bench_start() {
	local round runs=${SMOKE:+2} name commands
	runs=${runs:-25}
	commands=("bare=$BUSYBOX_BUNDLE/rootfs/bin/busybox true")
	for name in "${RUNTIMES[@]}"; do
		commands+=("$name=$(rt_words "$name") run --bundle $BUSYBOX_BUNDLE bench")
	done
	for ((round = 0; round < ROUNDS; round++)); do
		hyperfine_round "$runs" start "${commands[@]}"
	done
	row_of "run true" ms "/runc 0.10 /crun 0.40" start
	row_of "run true, best" ms "" start best
	say "run true: $(minus "$(figure start.ours)" "$(figure start.bare)") ms over" \
		"a bare fork and exec (best: $(minus "$(figure start.ours best)" \
			"$(figure start.bare best)")); aim 2"
}
