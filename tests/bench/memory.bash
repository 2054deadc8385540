# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What an idle container holds: the private pages of the runtime's own processes, and what the
# machine has less of with a hundred containers, the kernel's part included. The sleeping
# program itself is the bare row.

private_kib() {
	awk '/^Private_(Clean|Dirty):/ { s += $2 } END { print s + 0 }' "/proc/$1/smaps_rollup"
}

# Private KiB of a process by what is mapped there.
private_by_mapping() {
	awk '/^[0-9a-f]+-[0-9a-f]+ / {
			what = NF >= 6 ? $6 : "anonymous"
			sub(/.*\//, "", what)
		}
		/^Private_(Clean|Dirty):/ { by[what] += $2 }
		END { for (w in by) if (by[w]) print by[w], w }' "/proc/$1/smaps"
}

available_kib() {
	sleep 0.5
	awk '/^MemAvailable:/ { print $2 }' /proc/meminfo
}

start_idle() {
	local name=$1 i
	for ((i = 0; i < $2; i++)); do
		if [ "$name" = bare ]; then
			"$BUSYBOX_BUNDLE/rootfs/bin/busybox" sleep 1000 >/dev/null 2>&1 </dev/null &
			remember_pid $!
			echo $! >>"$WORK/idle"
		else
			rt "$name" run --detach --bundle "$BUSYBOX_BUNDLE" "idle$i" \
				>/dev/null 2>&1 </dev/null
		fi
	done
}

stop_idle() {
	local name=$1 i
	if [ "$name" = bare ]; then
		while read -r i; do kill "$i"; done <"$WORK/idle"
		rm "$WORK/idle"
		wait
		return
	fi
	for ((i = 0; i < $2; i++)); do
		rt "$name" delete --force "idle$i" >/dev/null 2>&1
	done
}

measure_own() {
	local n=$1 i supervisor init state=$WORK/state/ours
	for ((i = 0; i < n; i++)); do
		supervisor=$(jq .supervisor.pid "$state/idle$i/state.json")
		init=$(jq .init.pid "$state/idle$i/state.json")
		add_figure private-supervisor "$(private_kib "$supervisor")"
		add_figure private-init "$(private_kib "$init")"
		add_figure private.ours $(($(private_kib "$supervisor") + $(private_kib "$init")))
	done
	row_of "private, supervisor + init" KiB "600 KiB" private
	say "private: supervisor $(figure private-supervisor) KiB:" \
		"$(private_by_mapping "$supervisor" | sort -rn | head -6 | paste -sd, | sed 's/,/, /g')"
	say "private: init $(figure private-init) KiB:" \
		"$(private_by_mapping "$init" | sort -rn | head -6 | paste -sd, | sed 's/,/, /g')"
}

bench_memory() {
	local n=${SMOKE:+3} name before after
	n=${n:-100}
	make_config "$BUSYBOX_BUNDLE" '.process.args = ["/bin/sleep", "1000"]'
	for name in bare "${RUNTIMES[@]}"; do
		before=$(available_kib)
		start_idle "$name" "$n"
		after=$(available_kib)
		add_figure "available.$name" $(((before - after) / n))
		[ "$name" != ours ] || measure_own "$n"
		stop_idle "$name" "$n"
	done
	make_config "$BUSYBOX_BUNDLE" '.process.args = ["/bin/true"]'
	row_of "MemAvailable per container, of $n" KiB "" available
}
