# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For bats files that use a private containerd. Each file has one; after each test it is checked
# that nothing is left.

load "${BASH_SOURCE[0]%/*}/harness"
load "${BASH_SOURCE[0]%/*}/containerd"

ctr_setup_file() {
	# The path of a socket has to be short, and those of bats' directories are not.
	CD=$(mktemp -d /tmp/sandlock-ctd.XXXXXX)
	export CD
	containerd_start "$CD" || return 1
	export CONTAINERD_PID
	"${CTR[@]}" image import "$(busybox_archive)" >/dev/null || return 1
	if [ -n "${NEED_DEBIAN:-}" ]; then
		"${CTR[@]}" image import "$("$REPO/tests/images/debian")/debian.tar" >/dev/null || return 1
	fi
}

ctr_teardown_file() {
	CTR=(timeout -k 5 60 ctr --address "$CD/sock")
	containerd_stop "$CD"
	grep -F " $CD/" /proc/self/mountinfo | cut -d' ' -f5 | sort -r | while read -r m; do
		umount "$m" || true
	done
	rm -rf "$CD"
}

ctr_setup() {
	harness_setup
	CTR=(timeout -k 5 60 ctr --address "$CD/sock")
	BUSYBOX=localhost/busybox:latest
	DEBIAN=localhost/debian:latest
	RUNC_ROOT=$T/rr
	shim_sockets >"$T/shims.before"
}

# A file that needs more has functions of its own, which call those with the prefix.
setup_file() {
	ctr_setup_file
}

teardown_file() {
	ctr_teardown_file
}

setup() {
	ctr_setup
}

teardown() {
	local left=0 id
	for id in $("${CTR[@]}" task ls -q 2>/dev/null); do
		"${CTR[@]}" task rm -f "$id" >/dev/null 2>&1 || true
	done
	for id in $("${CTR[@]}" container ls -q 2>/dev/null); do
		"${CTR[@]}" container rm "$id" >/dev/null 2>&1 || true
	done
	ctr_nothing_left || left=1
	ROOT=$RUNC_ROOT/default
	harness_teardown || left=1
	return $left
}

shim_sockets() {
	ls /run/containerd/s 2>/dev/null | sort
}

no_shims() {
	[ -z "$(containerd_shims "$CD")" ]
}

# The runtime's own processes have no mark here, because containerd starts their shim.
no_runtime() {
	! pgrep -f -- "--root $RUNC_ROOT"
}

no_new_sockets() {
	[ -n "${SANDLOCK_TEST_SHARED_HOST:-}" ] || [ "$(shim_sockets)" = "$(cat "$T/shims.before")" ]
}

ctr_nothing_left() {
	eventually 5 no_shims || return 1
	eventually 5 no_new_sockets || return 1
	eventually 5 no_runtime || return 1
	is "$(grep -c " $CD/state/" /proc/self/mountinfo)" 0 || return 1
	is "$(find "$CD/state/io.containerd.runtime.v2.task/default" -mindepth 1 2>/dev/null)" "" || return 1
	[ ! -d "$RUNC_ROOT" ] || is "$(find "$RUNC_ROOT" -mindepth 2 2>/dev/null)" "" || return 1
}

# ctr_run IMAGE ID [FLAGS...] -- ARGS...: `ctr run` under our runtime; output in $T/out and $T/err.
ctr_run() {
	ctr_run_by --runc-binary "$RUNTIME" --runc-root "$RUNC_ROOT" -- "$@"
}

# ctr_run_by RUNTIME_FLAGS... -- IMAGE ID [FLAGS...] -- ARGS...
ctr_run_by() {
	local image id flags=()
	while [ "$1" != -- ]; do
		flags+=("$1")
		shift
	done
	image=$2 id=$3
	shift 3
	while [ "$1" != -- ]; do
		flags+=("$1")
		shift
	done
	shift
	rc=0
	"${CTR[@]}" run "${flags[@]}" --env "SANDLOCK_TEST_MARK=$MARK" "$image" "$id" "$@" \
		<"${STDIN:-/dev/null}" >"$T/out" 2>"$T/err" 3>&- || rc=$?
}
