# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# File work in a Debian root: a walk over all of it, a Python start that imports much, and
# open, stat and read in a loop. The clock runs inside, so no start of a container counts.

FILES_NAMES=(bare ours runc)

in_root() {
	local name=$1
	shift
	if [ "$name" = bare ]; then
		# shellcheck disable=SC2046
		$(timed) chroot "$DEBIAN_ROOT" "$@"
	else
		rt "$name" exec files "$@"
	fi
}

files_round() {
	local name=$1 times=${SMOKE:+1}
	times=${times:-5}
	# shellcheck disable=SC2046
	{
		in_root "$name" /mnt/repeat "$times" /usr/bin/find / -xdev >"$WORK/out"
		add_figure "files-find.$name" $(cat "$WORK/out")
		in_root "$name" /mnt/repeat "$times" /usr/bin/python3 -c \
			'import json,ssl,sqlite3,asyncio' >"$WORK/out"
		add_figure "files-python.$name" $(cat "$WORK/out")
		in_root "$name" /mnt/path_loop "$times" /usr/lib/python3 /usr/bin >"$WORK/out"
	}
	while read -r what ns; do
		add_figure "files-$what.$name" "$ns"
	done <"$WORK/out"
}

bench_files() {
	local round i name what bundle=$WORK/files before after
	debian_root
	mkdir "$bundle"
	# Without that capability the walk would end at the first directory of another user.
	make_config "$bundle" ".process.args = [\"/bin/sleep\", \"1000\"] |
		.root.path = \"$DEBIAN_ROOT\" |
		.process.capabilities |= with_entries(.value += [\"CAP_DAC_OVERRIDE\"])"
	for name in ours runc; do
		rt "$name" run --detach --bundle "$bundle" files >/dev/null 2>&1 </dev/null
	done
	before=$(rt ours events --stats files | jq .data.sandlock.notifications_total)
	for ((round = 0; round < ROUNDS; round++)); do
		for ((i = 0; i < 3; i++)); do
			files_round "${FILES_NAMES[$(((round + i) % 3))]}"
		done
	done
	after=$(rt ours events --stats files | jq .data.sandlock.notifications_total)
	row_of "find / -xdev" ms "/bare 1.02" files-find
	row_of "python3 import json,ssl,sqlite3,asyncio" ms "/bare 1.02" files-python
	for what in open stat read; do
		row_of "$what of one file" ns "" "files-$what"
	done
	say "files: $((after - before)) system calls reached the supervisor during all of it"
	for name in ours runc; do
		rt "$name" delete --force files >/dev/null 2>&1
	done
}
