#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A working directory that leads to a descriptor of the runtime (CVE-2024-21626). The
# control arm is the row `cwd` of cases/descriptors.tsv.
load lib

@test "an ordinary working directory is taken, a missing one made" {
	local d
	escape_root "$T/b/rootfs"
	for d in / /tmp /made/here; do
		config "$T/b" ".process.args = [\"/attack\", \"one\", \"stat\", \".\"] | .process.cwd = \"$d\""
		run_bundle "$T/b"
		ok
		out_is "$(printf 'stat\tok')"
	done
}

# rejected CWD: create fails, and changes nothing on the host.
rejected() {
	config "$T/b" ".process.args = [\"/attack\", \"one\", \"stat\", \"canary\"] | .process.cwd = \"$1\""
	new_id
	create "$ID" "$T/b" 9<"$T/host"
	if [ "$rc" -eq 0 ]; then
		rt start "$ID"
		eventually 5 grep -q stat "$T/$ID.out" || true
		echo "cwd $1 was taken: $(cat "$T/$ID.out")"
		rt delete --force "$ID"
		return 1
	fi
	is "$rc" 1
	grep -q "${2:-Too many levels of symbolic links\|No such file or directory}" "$T/err" ||
		{ cat "$T/err"; return 1; }
	is "$(state_word "$ID")" none
}

@test "every descriptor number as the working directory is rejected" {
	local n
	mkdir -p "$T/host"
	echo secret >"$T/host/canary"
	escape_root "$T/b/rootfs"
	for n in $(seq 0 40); do
		rejected "/proc/self/fd/$n"
		rejected "/proc/self/fd/$n/../.."
		rejected "/proc/thread-self/fd/$n"
		ln -sfn "/proc/self/fd/$n" "$T/b/rootfs/link"
		rejected "/link"
		rejected "/link/below"
	done
	is "$(ls "$T/host")" canary
}

@test "other magic links as the working directory are rejected" {
	local d
	mkdir -p "$T/host"
	escape_root "$T/b/rootfs"
	# /proc/1 is empty when the runtime opens the directory; the main process is mounted later.
	for d in /proc/1/cwd /proc/1/root; do
		rejected "$d" "Operation not permitted"
	done
	for d in /proc/self/exe /proc/self/cwd /proc/self/root /proc/$$/cwd /proc/$$/root; do
		rejected "$d"
	done
}
