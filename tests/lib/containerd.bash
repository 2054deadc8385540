# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Starts a private containerd: root, state and socket are in one directory, there is no CRI plugin,
# and nothing is shared with a containerd of this machine. The suites and packaging/try use it.

# containerd_start DIR: sets CTR (an array: ctr with the address) and CONTAINERD_PID.
containerd_start() {
	local dir=$1 i
	mkdir -p "$dir"
	cat >"$dir/config.toml" <<-EOF
		version = 2
		root = "$dir/root"
		state = "$dir/state"
		disabled_plugins = [
			"io.containerd.grpc.v1.cri",
			"io.containerd.internal.v1.opt",
			"io.containerd.internal.v1.tracing",
			"io.containerd.tracing.processor.v1.otlp"
		]
		[grpc]
			address = "$dir/sock"
		[debug]
			level = "info"
	EOF
	(
		unset SANDLOCK_TEST_MARK
		exec containerd --config "$dir/config.toml" >"$dir/log" 2>&1 </dev/null 3>&- 4>&-
	) &
	CONTAINERD_PID=$!
	CTR=(timeout -k 5 60 ctr --address "$dir/sock")
	for i in $(seq 200); do
		if [ -S "$dir/sock" ] && "${CTR[@]}" version >/dev/null 2>&1; then
			return 0
		fi
		if ! kill -0 "$CONTAINERD_PID" 2>/dev/null; then break; fi
		sleep 0.05
	done
	echo "containerd did not come up:" >&2
	tail -20 "$dir/log" >&2
	return 1
}

# The shims of this containerd: their command lines have its socket.
containerd_shims() {
	pgrep -f -- "containerd-shim.*-address $1/sock" || true
}

# containerd_stop DIR: removes the containers that are left, and ends containerd and its shims.
containerd_stop() {
	local dir=$1 id i
	for id in $("${CTR[@]}" task ls -q 2>/dev/null); do
		"${CTR[@]}" task rm -f "$id" >/dev/null 2>&1 || true
	done
	for id in $("${CTR[@]}" container ls -q 2>/dev/null); do
		"${CTR[@]}" container rm "$id" >/dev/null 2>&1 || true
	done
	kill "$CONTAINERD_PID" 2>/dev/null || true
	for i in $(seq 100); do
		kill -0 "$CONTAINERD_PID" 2>/dev/null || break
		sleep 0.05
	done
	kill -9 "$CONTAINERD_PID" 2>/dev/null || true
	wait "$CONTAINERD_PID" 2>/dev/null || true
	for i in $(containerd_shims "$dir"); do
		kill -9 "$i" 2>/dev/null || true
	done
}

# busybox_archive: path of the image archive, made once.
busybox_archive() {
	local repo cache key file
	repo=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
	cache=${SANDLOCK_TEST_CACHE:-/var/cache/sandlock-oci-tests}
	key=$(cat "$repo/tests/images/busybox" "$repo/tests/images/oci-archive" \
		"$(command -v busybox)" | sha256sum | cut -c1-12)
	file=$cache/busybox-$key.tar
	mkdir -p "$cache"
	[ -e "$file" ] || "$repo/tests/images/busybox" --archive "$file"
	echo "$file"
}
