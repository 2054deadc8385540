# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# `run` of /bin/true in both root modes, in turns, with the mount table as it is and with 2000 mounts
# more in it: namespace mode may cost 0.1 ms over detached, whatever the table holds.

MORE_MOUNTS=2000

modes_round() {
	hyperfine_round "$1" "$2" "ours=$(rt_words ours) run --bundle $BUSYBOX_BUNDLE bench" \
		"namespace=$(rt_words namespace) run --bundle $BUSYBOX_BUNDLE bench"
}

# Over a directory of their own, so that one unmount takes all of them off.
more_mounts() {
	mkdir -p "$WORK/more"
	mount -t tmpfs more "$WORK/more"
	python3 - "$WORK/more" "$MORE_MOUNTS" <<-'END'
		import ctypes, os, sys
		libc = ctypes.CDLL(None, use_errno=True)
		for i in range(int(sys.argv[2])):
		    place = f"{sys.argv[1]}/{i}"
		    os.mkdir(place)
		    if libc.mount(b"m", place.encode(), b"tmpfs", 0, b"size=4k") != 0:
		        sys.exit(f"{place}: {os.strerror(ctypes.get_errno())}")
	END
}

bench_modes() {
	local round runs=${SMOKE:+2} table
	runs=${runs:-25}
	for table in modes-few modes-many; do
		[ $table = modes-few ] || more_mounts
		for ((round = 0; round < ROUNDS; round++)); do
			modes_round "$runs" $table
		done
		say "run true: namespace mode costs" \
			"$(minus "$(figure $table.namespace)" "$(figure $table.ours)") ms over detached" \
			"(best: $(minus "$(figure $table.namespace best)" "$(figure $table.ours best)"))" \
			"with $(wc -l </proc/self/mountinfo) mounts; aim 0.1"
	done
	umount -l "$WORK/more"
}
