#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Containers that try to delay others, or their own supervisor, by network calls.
load lib

# Away from what clients get and from the range that replaces ports.
PORT=$((10000 + $$ % 8000))

# holding NAME COMMAND [JQ]: starts a container that runs the helper, and sets the variable to its id.
holding() {
	new_id
	mkdir -p "$T/$ID"
	cp -a "$(busybox_root)" "$T/$ID/rootfs"
	cp "$HELPERS/nethold" "$HELPERS/sockets" "$T/$ID/rootfs/bin/"
	bundle "$T/$ID" "${3:-.}"
	jq --arg s "$2" '.process.args = ["sh", "-c", $s]' "$T/$ID/config.json" >"$T/$ID/c"
	mv "$T/$ID/c" "$T/$ID/config.json"
	create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
	eval "$1=$ID"
}

@test "three containers that hog the turn to bind fail no bind of another, and slow none" {
	LIMIT=120
	local first second third victim
	"$HELPERS/sockets" tcp4 "bind 0.0.0.0 $PORT" listen "touch $T/host-ready" 'sleep 100000' >"$T/host.out" 2>&1 3>&- &
	SERVER=$!
	eventually 5 test -e "$T/host-ready"
	for name in first second third; do
		holding $name "nethold hog 60 1000 $PORT 30"
	done
	for id in "$first" "$second" "$third"; do
		eventually 20 grep -q hogs "$T/$id.out"
	done
	holding victim "nethold binds 1000 $((PORT + 100))"
	# The control arm, at the same time: what the machine alone makes slow.
	"$HELPERS/nethold" binds 1000 $((PORT + 1000)) >"$T/control"
	eventually 40 grep -q failed "$T/$victim.out"
	cat "$T/control" "$T/$victim.out"
	is "$(field "$(cat "$T/$victim.out")" failed)" 0
	[ "$(field "$(cat "$T/$victim.out")" slow)" -le "$(field "$(cat "$T/control")" slow)" ]
	for id in "$first" "$second" "$third"; do
		eventually 40 grep -q binds "$T/$id.out"
		[ "$(field "$(cat "$T/$id.out")" taken)" -gt 10 ]
		is "$(field "$(cat "$T/$id.out")" taken)" "$(field "$(cat "$T/$id.out")" binds)"
		rt delete --force "$id"
	done
	rt delete --force "$victim"
}
