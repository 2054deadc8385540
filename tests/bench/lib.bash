# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the parts share: the contenders, bundles, figures and the table. A contender is the name of a
# runtime, which `rt NAME VERB...` calls; "bare" is the machine without a container.

OURS=${RUNTIME:-$SANDLOCK_BUILD/bin/sandlock-oci}
TOOLS=$SANDLOCK_BUILD/bin/bench
RUNTIMES=(ours crun runc)

# The directory of a benchmark run, removed at its end. State roots are on a tmpfs, so that no
# runtime waits for a disk.
bench_setup() {
	WORK=$(mktemp -d)
	trap bench_cleanup EXIT
	mount -t tmpfs bench "$WORK"
	mkdir "$WORK/state" "$WORK/figures"
	echo '{}' >"$WORK/node.json"
	echo '{"rootfs": {"mode": "namespace"}}' >"$WORK/namespace.json"
	mountpoint -q /sys/fs/cgroup && [ "$(stat -fc %T /sys/fs/cgroup)" != cgroup2fs ] &&
		mount -t cgroup2 bench /sys/fs/cgroup
	BUSYBOX_BUNDLE=$WORK/busybox
	mkdir "$BUSYBOX_BUNDLE"
	"$REPO/tests/images/busybox" "$BUSYBOX_BUNDLE/rootfs"
	make_config "$BUSYBOX_BUNDLE" '.process.args = ["/bin/true"]'
	LOAD_BEFORE=$(cut -d' ' -f1 /proc/loadavg)
	: >"$WORK/table"
}

bench_cleanup() {
	set +e
	local name id pid
	for name in "${RUNTIMES[@]}"; do
		for id in "$WORK/state/$name"/*/; do
			[ -d "$id" ] && rt "$name" delete --force "$(basename "$id")" >/dev/null 2>&1
		done
	done
	while read -r pid; do
		kill -9 "$pid" 2>/dev/null
	done < <(cat "$WORK/pids" 2>/dev/null)
	cd /
	umount -l "$WORK" && rmdir "$WORK"
}

# Processes outside of containers, which are ended with the run at the latest.
remember_pid() {
	echo "$1" >>"$WORK/pids"
}

# The command line of a contender's runtime, for those who start it themselves.
rt_words() {
	case $1 in
	ours) echo "$OURS --root $WORK/state/ours --config $WORK/node.json" ;;
	namespace) echo "$OURS --root $WORK/state/namespace --config $WORK/namespace.json" ;;
	crun) echo "crun --root $WORK/state/crun --cgroup-manager=disabled" ;;
	runc) echo "runc --root $WORK/state/runc" ;;
	esac
}

rt() {
	local name=$1
	shift
	# shellcheck disable=SC2046
	$(timed) $(rt_words "$name") "$@"
}

# A prefix for the program that measures, not for the one that is measured, because the start of
# chrt would count.
timed() {
	[ -z "$RT" ] || echo "chrt -f 1"
}

# make_config BUNDLE JQ [ARG...]: what `runc spec` writes, so that every contender gets the
# same; the arguments are $ARGS.positional in the expression.
make_config() {
	local bundle=$1 expression=$2
	shift 2
	(cd "$bundle" && rm -f config.json && runc spec)
	jq ".process.terminal = false | $expression" "$bundle/config.json" --args -- "$@" \
		>"$bundle/config.new"
	mv "$bundle/config.new" "$bundle/config.json"
}

# debian_root: a Debian root directory with redis and python, made once; /mnt holds the tools.
# Sets DEBIAN_ROOT. What is mounted here is seen in this mount namespace only.
debian_root() {
	[ -z "${DEBIAN_ROOT:-}" ] || return 0
	local dir
	dir=$("$REPO/tests/images/debian")
	DEBIAN_ROOT=$WORK/debian
	mkdir "$DEBIAN_ROOT"
	mount --bind "$dir/rootfs" "$DEBIAN_ROOT"
	mount --bind "$TOOLS" "$DEBIAN_ROOT/mnt"
}

note() {
	echo "# $*" >&2
}

# add_figure NAME VALUE...
add_figure() {
	local name=$1
	shift
	printf '%s\n' "$@" >>"$WORK/figures/$name"
}

# figure NAME [best]: the median, or the least, of what was added.
figure() {
	sort -g "$WORK/figures/$1" | awk -v best="${2:-}" '
		{ v[NR] = $1 }
		END { print best ? v[1] : (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'
}

# ratio_of PREFIX A B [best]: what was added for A over what was added for B in the same turn,
# and the median of these: a machine that slows down for a while slows both.
ratio_of() {
	local a=$WORK/figures/$1.$2 b=$WORK/figures/$1.$3
	if [ ! -e "$a" ] || [ ! -e "$b" ]; then
		echo -
	elif [ -n "${4:-}" ]; then
		awk -v a="$(figure "$1.$2" best)" -v b="$(figure "$1.$3" best)" \
			'BEGIN { print b ? a / b : "-" }'
	else
		paste "$a" "$b" | awk '$2 > 0 { print $1 / $2 }' | sort -g | awk '
			{ v[NR] = $1 }
			END { print NR ? (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 : "-" }'
	fi
}

minus() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a - b }'
}

# row_of WHAT UNIT AIM PREFIX [best]: a row of the table out of the figures PREFIX.bare,
# PREFIX.ours and so on; - where there are none.
row_of() {
	local name prefix=$4 best=${5:-} cells=("$1" "$2" "$3")
	for name in bare ours crun runc; do
		if [ -e "$WORK/figures/$prefix.$name" ]; then
			cells+=("$(figure "$prefix.$name" "$best")")
		else
			cells+=(-)
		fi
	done
	for name in bare crun runc; do
		cells+=("$(ratio_of "$prefix" ours "$name" "$best")")
	done
	(IFS='|' && echo "${cells[*]}") >>"$WORK/table"
}

# say TEXT: a line below the table.
say() {
	echo "$*" >>"$WORK/remarks"
}

# hyperfine_round RUNS PREFIX NAME=COMMAND...: one round; adds PREFIX.NAME in ms.
hyperfine_round() {
	local runs=$1 prefix=$2 pair commands=() i=0
	shift 2
	for pair in "$@"; do
		commands+=("${pair#*=}")
	done
	# shellcheck disable=SC2046
	$(timed) hyperfine -N --style none --warmup 1 --runs "$runs" --export-json "$WORK/hyperfine.json" \
		"${commands[@]}" >/dev/null 2>"$WORK/hyperfine.err" ||
		{ cat "$WORK/hyperfine.err" >&2; return 1; }
	for pair in "$@"; do
		# shellcheck disable=SC2046
		add_figure "$prefix.${pair%%=*}" \
			$(jq ".results[$i].times[] * 1000" "$WORK/hyperfine.json")
		i=$((i + 1))
	done
}

print_table() {
	echo
	echo "$(uname -sr), $(nproc) CPUs; load $LOAD_BEFORE before, $(cut -d' ' -f1 /proc/loadavg)" \
		"after${RT:+; contenders under SCHED_FIFO}${SMOKE:+; SMOKE RUN, the figures mean nothing}"
	echo "$(runc --version | head -1); $(crun --version | head -1); $($OURS --version | head -1)"
	awk -F'|' '
		function show(v) { return v == "-" ? v : sprintf(v >= 1000 ? "%.0f" : "%.2f", v) }
		function part(v) { return v == "-" ? v : sprintf("%.3f", v) }
		BEGIN {
			f = "%-40s %4s %9s %9s %9s %9s  %7s %7s %7s  %s\n"
			printf f, "", "unit", "bare", "ours", "crun", "runc",
				"/bare", "/crun", "/runc", "aim"
		}
		{ printf f, $1, $2, show($4), show($5), show($6), show($7),
			part($8), part($9), part($10), $3 }' "$WORK/table"
	[ ! -e "$WORK/remarks" ] || cat "$WORK/remarks"
}
