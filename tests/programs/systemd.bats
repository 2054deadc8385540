#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What Debian's programs say to systemd and get from it, where it is the caller of the runtime.
load lib
load ../lib/notify

setup() {
	harness_setup
	LIMIT=120
	listen
}

# runc 1.1.5 leaves its barrier unanswered, so that it fails there.
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

# served: MariaDB has no socket of its own; its client takes the path at which the caller has made one.
served() {
	rm -rf "$T/made"
	mkdir -p "$T/made"
	program "$T/b" 'mariadb-install-db --no-defaults --datadir=/tmp/d --auth-root-authentication-method=normal --skip-test-db >/tmp/log 2>&1 ||
			{ cat /tmp/log; exit 1; }
		{
			ask() { mariadb --no-defaults -u root -S /opt/activated.0 -N -e "$1"; }
			for i in $(seq 300); do ! ask "select 1" >/dev/null 2>&1 || break; sleep 0.1; done
			ask "select 6 * 7; shutdown"
		} &
		exec mariadbd --no-defaults --user=root --datadir=/tmp/d --skip-networking --socket=/nowhere/own 2>>/tmp/log' \
		".mounts += [{destination: \"/opt\", type: \"bind\", source: \"$T/made\", options: [\"bind\"]}]"
	new_id
	(
		unset NOTIFY_SOCKET
		cd "$T/made"
		exec timeout -k 5 "$LIMIT" "$REPO/tests/lib/systemd.py" activate 1 '' \
			"$RUNTIME" --root "$ROOT" run --bundle "$T/b" "$ID"
	) </dev/null >"$T/out" 2>"$T/err" 3>&-
	out_is 42
}

@test "socket activation: MariaDB serves the socket that the caller has made" {
	both served
}
