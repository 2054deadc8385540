#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills the machine
# Probes may exec every second for months: they leave nothing behind, and memory does not grow.
load ../lib/harness

# The memory of supervisor and init in KiB, without clean pages: those belong to the program's file,
# and are private only while no other process runs it.
private_kib() {
	local p sum=0
	for p in "$(pid_of "$ID")" "$(init_of "$ID")"; do
		sum=$((sum + $(awk '/^Private_Dirty/ { n += $2 } END { print n }' "/proc/$p/smaps_rollup")))
	done
	echo "$sum"
}

fds() {
	echo $(($(ls "/proc/$(pid_of "$ID")/fd" | wc -l) + $(ls "/proc/$(init_of "$ID")/fd" | wc -l)))
}

execs() {
	local i bad=0
	for i in $(seq "$1"); do
		"$RUNTIME" --root "$ROOT" exec "$ID" true </dev/null >/dev/null 2>&1 3>&- || bad=$((bad + 1))
	done
	is "$bad" 0
}

@test "2000 execs: memory within 5 %, the same descriptors, no zombies" {
	local memory descriptors after
	started 'sleep 1000'
	execs 100
	memory=$(private_kib)
	descriptors=$(fds)
	execs 1900
	after=$(private_kib)
	echo "private: $memory KiB, then $after KiB"
	is "$(fds)" "$descriptors"
	[ $((after * 100)) -le $((memory * 105)) ]
	is "$(ps --ppid "$(init_of "$ID")" -o stat= | grep -c Z || true)" 0
	is "$(ps --ppid "$(pid_of "$ID")" -o stat= | grep -c Z || true)" 0
}

@test "200 execs that leave orphans: no zombies" {
	local i
	started 'sleep 1000'
	for i in $(seq 200); do
		"$RUNTIME" --root "$ROOT" exec "$ID" sh -c '(sleep 0.05 &)' </dev/null >/dev/null 2>&1 3>&-
	done
	sleep 1
	is "$(children_of "$(init_of "$ID")" | wc -w)" 1
	is "$(ps --ppid "$(init_of "$ID")" -o stat= | grep -c Z || true)" 0
}

@test "50 detached execs at once: each status, and no proxy is left" {
	local i
	started 'sleep 1000'
	for i in $(seq 50); do
		timeout 30 "$RUNTIME" --root "$ROOT" exec "$ID" sh -c "sleep 0.5; exit $i" </dev/null >/dev/null 2>&1 3>&- &
		echo $! >>"$T/pids"
	done
	i=0
	while read -r pid; do
		i=$((i + 1))
		rc=0
		wait "$pid" || rc=$?
		is "$rc" "$i"
	done <"$T/pids"
	is "$(children_of "$(init_of "$ID")" | wc -w)" 1
}
