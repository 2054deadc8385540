# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For bats files that run containers with this runtime's own shim under a private containerd.

# containerd looks for the shim in this PATH.
export PATH="${SANDLOCK_BUILD:-${BATS_TEST_DIRNAME%/tests/*}/build}/bin:$PATH"

load "${BASH_SOURCE[0]%/*}/ctr"

setup_file() {
	SANDLOCK_SHIM_ROOT=$(mktemp -d /tmp/sandlock-shim.XXXXXX)
	export SANDLOCK_SHIM_ROOT
	ctr_setup_file
}

teardown_file() {
	# A test may have restarted containerd.
	CONTAINERD_PID=$(cat "$CD/pid" 2>/dev/null || echo "$CONTAINERD_PID")
	ctr_teardown_file
	rm -rf "$SANDLOCK_SHIM_ROOT"
}

setup() {
	ctr_setup
	RUNC_ROOT=$SANDLOCK_SHIM_ROOT
	ROOT=$SANDLOCK_SHIM_ROOT/default
}

# shim_run IMAGE ID [FLAGS...] -- ARGS...: `ctr run` with this shim; output in $T/out and $T/err.
shim_run() {
	ctr_run_by --runtime io.containerd.sandlock.v1 -- "$@"
}

# ctr_do ARGS...: any command of ctr; status and output as of shim_run.
ctr_do() {
	rc=0
	"${CTR[@]}" "$@" <"${STDIN:-/dev/null}" >"$T/out" 2>"$T/err" 3>&- || rc=$?
}

shim_pid() {
	containerd_shims "$CD" | head -1
}

status_of() {
	"${CTR[@]}" task ls | awk -v id="$1" '$1 == id { print $3 }'
}
