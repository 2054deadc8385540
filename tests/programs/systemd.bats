#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# systemd-notify of Debian tells the caller of the runtime that the service is ready.
# (runc 1.1.5 leaves its barrier unanswered, so that it fails there.)
load lib

setup() {
	harness_setup
	export NOTIFY_SOCKET=$T/host.sock
	"$REPO/tests/lib/systemd.py" notify "$NOTIFY_SOCKET" >"$T/heard" 2>&1 </dev/null 3>&- &
	LISTENER=$!
	eventually 5 grep -q listening "$T/heard"
}

teardown() {
	unset NOTIFY_SOCKET
	kill "$LISTENER"
	harness_teardown
}

@test "systemd-notify --ready, with and without a status" {
	local words
	for words in --ready '--ready --status=up'; do
		program "$T/b" "systemd-notify $words && echo told" \
			'.mounts += [{destination: "/run", type: "tmpfs", source: "tmpfs"}]'
		new_id
		create "$ID" "$T/b"
		ok
		rt start "$ID"
		ok
		wait_state "$ID" stopped
		is "$(cat "$T/$ID.out")" told
		is "$(sed 1d "$T/heard" | grep -v BARRIER | tail -2)" "'READY=1\\n'
'MAINPID=$(cat "$T/$ID.pid")\\n'"
	done
}
