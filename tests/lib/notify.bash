# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Listens at NOTIFY_SOCKET (sd_notify(3)), as systemd does for the services that it starts.

# listen [ADDRESS]: writes the messages that arrive there to $T/heard.
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

# heard LINE...: these messages and no others have arrived.
heard() {
	is "$(sed 1d "$T/heard" | grep -v BARRIER)" "$(printf '%s\n' "$@")"
}
