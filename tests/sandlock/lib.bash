# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the files about `sandlock` share. Each test runs in the view of $VIEW: tree as root, userns as an
# ordinary user, whose id is no account of this machine.
load ../lib/harness

SANDLOCK=$BUILD/bin/sandlock
SOME_UID=${SANDLOCK_TEST_UID:-64231}
# What every program of this machine needs.
BASE=(-r /usr -r /lib -r /etc)

sandlock_setup() {
	harness_setup
	VIEW=${1:-tree}
	AS=()
	[ "$VIEW" = tree ] || AS=(setpriv --reuid "$SOME_UID" --regid "$SOME_UID" --clear-groups)
	# An ordinary user must be able to execute the program and to enter the directory.
	install -m 755 "$SANDLOCK" "$T/sandlock"
	install -m 755 "$BUILD/bin/sandlock-proxy" "$T/sandlock-proxy"
	mkdir -p "$T/state" "$T/w"
	chmod 700 "$T/state"
	[ "$VIEW" = tree ] || chown "$SOME_UID:$SOME_UID" "$T/state" "$T/w"
	export XDG_RUNTIME_DIR=$T/state HOME=$T/w LC_ALL=C
	ROOT=$T/state/sandlock
	cd "$T/w" || return 1
}

# as_user COMMAND...: outside, with the same rights: the control arm.
as_user() {
	rc=0
	timeout -k 5 "$LIMIT" "${AS[@]}" "$@" <"${STDIN:-/dev/null}" >"$T/out" 2>"$T/err" 3>&- 4>&- || rc=$?
}

# sl ARGS...: `sandlock ARGS`. Leaves the status in $rc, the output in $T/out and $T/err.
sl() {
	as_user "$T/sandlock" "$@"
}

# sl_sh SCRIPT [OPTIONS...]: runs a script of the shell with the base grants.
sl_sh() {
	local script=$1
	shift
	sl run "${BASE[@]}" "$@" -- /bin/sh -c "$script"
}

err_has() {
	grep -qF -e "$1" "$T/err" || {
		echo "stderr has no: $1"
		cat "$T/err"
		return 1
	}
}
