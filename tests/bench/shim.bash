# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Pods under containerd: this runtime with its own shim and with containerd-shim-runc-v2, crun and
# runc, by turns in one containerd. From the request to running, and to removed; processor time;
# what the machine has less of with a hundred idle pods. PODS is another number than a hundred;
# SHIM_PLOT is a file for the picture of docs/shim.md.

shim_needs() {
	local want=() p
	for p in containerd python3-grpcio gnuplot-nox; do
		dpkg -s "$p" >/dev/null 2>&1 || want+=("$p")
	done
	[ ${#want[@]} -eq 0 ] ||
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${want[@]}" \
			>/dev/null
}

# shim_handler NAME TYPE [OPTION...]: a runtime of containerd's CRI plugin.
shim_handler() {
	echo "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.$1]"
	echo "runtime_type = \"$2\""
	shift 2
	printf '%s\n' "$@"
}

shim_config() {
	local dir=$1 runc=io.containerd.runc.v2
	cat <<-END
		version = 2
		root = "$dir/root"
		state = "$dir/state"
		disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.internal.v1.tracing",
			"io.containerd.tracing.processor.v1.otlp"]
		[grpc]
		address = "$dir/sock"
		[plugins."io.containerd.grpc.v1.cri"]
		sandbox_image = "localhost/pause:latest"
		disable_apparmor = true
		disable_cgroup = true
		restrict_oom_score_adj = true
		[plugins."io.containerd.grpc.v1.cri".containerd]
		default_runtime_name = "runc"
	END
	shim_handler native io.containerd.sandlock.v1
	for name in ours crun runc; do
		shim_handler "$name" $runc "options = { BinaryName = \"$(shim_binary "$name")\", Root = \"$dir/rr-$name\" }"
	done
}

shim_binary() {
	case $1 in
	ours) echo "$OURS" ;;
	crun) echo "$WORK/crun" ;;
	*) command -v "$1" ;;
	esac
}

# A control group for memory, of either version. runc's containers are in it too: below it with
# version 2, and in what they are started from with version 1, which they do not see here.
shim_memory_group() {
	if awk '$1 == "memory" { exit $2 == 0 }' /proc/cgroups; then
		mkdir -p "$WORK/memory"
		mountpoint -q "$WORK/memory" || mount -t cgroup -o memory bench "$WORK/memory"
		mkdir -p "$WORK/memory/sandlock-bench"
		export MEMORY=$WORK/memory/sandlock-bench/memory.usage_in_bytes
		MEMORY_PROCS=$WORK/memory/sandlock-bench/cgroup.procs
	else
		echo +memory >/sys/fs/cgroup/cgroup.subtree_control
		mkdir -p /sys/fs/cgroup/sandlock-bench/driver
		export MEMORY=/sys/fs/cgroup/sandlock-bench/memory.current
		MEMORY_PROCS=/sys/fs/cgroup/sandlock-bench/driver/cgroup.procs
	fi
}

# The image, and the bundle of the tasks.
shim_prepare() {
	local dir=$1 name program
	shim_needs
	export PATH=$SANDLOCK_BUILD/bin:$PATH
	export SANDLOCK_SHIM_ROOT=$WORK/state/native
	# crun has to be told to do without cgroups where it may not have its own (lib.bash).
	printf '#!/bin/sh\nexec crun --cgroup-manager=disabled "$@"\n' >"$WORK/crun"
	chmod 755 "$WORK/crun"
	mkdir -p "$dir/pods" "$SANDLOCK_SHIM_ROOT"
	cp -a "$BUSYBOX_BUNDLE/rootfs" "$dir/rootfs"
	make_config "$BUSYBOX_BUNDLE" '.process.args = ["/bin/sleep", "1000"] |
		.linux.cgroupsPath = "/sandlock-bench/BENCH_ID" | .root.path = "rootfs" |
		.linux.namespaces |= map(select(.type != "network"))'
	jq -c . "$BUSYBOX_BUNDLE/config.json" >"$dir/bundle.json"
	shim_config "$dir" >"$dir/config.toml"
	containerd --config "$dir/config.toml" >"$dir/log" 2>&1 </dev/null &
	remember_pid $!
	for name in busybox pause; do
		program=(sh)
		[ "$name" = busybox ] || program=(sleep 100000)
		"$REPO/tests/images/oci-archive" "$dir/rootfs" "$dir/image.tar" "localhost/$name:latest" \
			"${program[@]}"
		until ctr --address "$dir/sock" version >/dev/null 2>&1; do
			kill -0 %% || { tail -5 "$dir/log" >&2; return 1; }
			sleep 0.1
		done
		ctr --address "$dir/sock" -n k8s.io image import "$dir/image.tar" >/dev/null
		rm "$dir/image.tar"
	done
	kill %%
	wait %% || true
}

# shim_pods DIR ARGS...: the program, in the control group.
shim_pods() {
	local status=0
	shim_memory_group
	# Not SCHED_FIFO: threads of a Go program can wait for each other without end under it.
	(echo $BASHPID >"$MEMORY_PROCS" && exec ${RT:+nice -n -20} "$BENCH/pods" "$@") || status=$?
	find "${MEMORY%/*}" -depth -type d -exec rmdir {} + 2>/dev/null || true
	[ $status -eq 0 ] || tail -20 "$1/log" >&2
	return $status
}

SHIM_NATIVE='native={"type": "io.containerd.sandlock.v1", "handler": "native"}'
SHIM_COLUMNS=(native ours crun runc)

# shim_row KIND FIGURE TEXT: the medians, and how much of runc's ours needs.
shim_row() {
	local name cells=() prefix=shim-$1-$2
	for name in "${SHIM_COLUMNS[@]}"; do
		if [ -e "$WORK/figures/$prefix.$name" ]; then
			cells+=("$(figure "$prefix.$name")")
		else
			cells+=(-)
		fi
	done
	say "$(printf '%-34s' "$3")" "$(printf '%10.9s' "${cells[@]}")" \
		"$(printf '%8.5s' "$(ratio_of "$prefix" native runc)" "$(ratio_of "$prefix" native ours)")"
}

shim_report() {
	local kind
	local -A text=([task]="task" [pod]="CRI pod")
	say "$(printf '%-34s' "$(containerd --version | cut -d' ' -f1,3), $1 each")" "$(printf '%10s' "${SHIM_COLUMNS[@]}")" \
		"$(printf '%8s' /runc /ours)"
	for kind in task pod; do
		shim_row "$kind" start "${text[$kind]}: to running, ms"
		shim_row "$kind" remove "${text[$kind]}: to removed, ms"
		shim_row "$kind" start-all "$1 ${text[$kind]}s at a time: running, ms"
		shim_row "$kind" remove-all "$1 ${text[$kind]}s at a time: removed, ms"
		shim_row "$kind" first "${text[$kind]}: the first tenth, ms"
		shim_row "$kind" last "${text[$kind]}: the last tenth, ms"
		shim_row "$kind" cpu "${text[$kind]}: processor, ms"
		shim_row "$kind" cpu-shim "${text[$kind]}: without containerd's, ms"
		shim_row "$kind" memory "${text[$kind]}: less MemAvailable, KiB"
		shim_row "$kind" charged "${text[$kind]}: memory charged, KiB"
	done
}

# shim_plot COUNT FILE: what each contender needs of what runc does, as an image (docs/shim.svg).
shim_plot() {
	local name figure
	{
		for figure in start:running start-all:"$1 running" remove:removed cpu:processor charged:memory; do
			printf '"%s"' "${figure#*:}"
			for name in native ours crun runc; do
				printf ' %s' "$(ratio_of "shim-pod-${figure%%:*}" "$name" runc)"
			done
			echo
		done
	} >"$WORK/plot.data"
	command -v gnuplot >/dev/null || {
		echo "gnuplot is not installed, so there is no picture" >&2
		return 1
	}
	gnuplot <<-END
		set terminal svg size 720,380 font "sans-serif,12" background "white"
		set output "$2"
		set title "A pod under the CRI plugin of containerd: what runc needs is 1"
		set style data histogram
		set style histogram clustered gap 1
		set style fill solid 0.8 border 0
		set yrange [0:*]
		set grid ytics
		set key outside bottom center horizontal
		plot "$WORK/plot.data" using 2:xtic(1) title "this runtime, own shim" linecolor rgb "#2a7f62", \
			"" using 3 title "this runtime, runc's shim" linecolor rgb "#9fd3c1", \
			"" using 4 title "crun" linecolor rgb "#c9c9c9", "" using 5 title "runc" linecolor rgb "#7d7d7d"
	END
}

bench_shim() {
	local dir=$WORK/containerd count=${PODS:-${SMOKE:+3}} kind figure name value contenders=()
	local rounds=$(((ROUNDS + 1) / 2))
	count=${count:-100}
	shim_prepare "$dir"
	contenders=("$SHIM_NATIVE")
	for name in ours crun runc; do
		contenders+=("$name={\"type\": \"io.containerd.runc.v2\", \"handler\": \"$name\",
			\"binary\": \"$(shim_binary "$name")\", \"root\": \"$dir/rr-$name\"}")
	done
	for kind in task pod; do
		note "shim: $kind"
		shim_pods "$dir" "$kind" "$count" "$rounds" "${contenders[@]}" >"$WORK/pods"
		while read -r figure name value; do
			add_figure "shim-$kind-$figure.$name" "$value"
		done <"$WORK/pods"
	done
	shim_report "$count"
	[ -z "$RT" ] || say "(the contenders of this part were at nice -20)"
	[ -z "${SHIM_PLOT:-}" ] || shim_plot "$count" "$SHIM_PLOT"
}
