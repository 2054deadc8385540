# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Somebody at NOTIFY_SOCKET (sd_notify(3)), as systemd is for the runtimes that it starts.

# listen [ADDRESS]: what is said there goes to $T/heard.
listen() {
	export NOTIFY_SOCKET=${1:-$T/host.sock}
	"$REPO/tests/lib/systemd.py" notify "$NOTIFY_SOCKET" >"$T/heard" 2>&1 </dev/null 3>&- &
	LISTENER=$!
	eventually 5 grep -q listening "$T/heard"
}

teardown() {
	unset NOTIFY_SOCKET
	[ -z "${LISTENER:-}" ] || kill "$LISTENER"
	harness_teardown
}

# heard LINE...: that and nothing else has come.
heard() {
	is "$(sed 1d "$T/heard" | grep -v BARRIER)" "$(printf '%s\n' "$@")"
}
