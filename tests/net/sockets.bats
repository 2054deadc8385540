#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Sockets that the container did not make: of its standard streams, or passed to it through a
# unix socket by the host and by another container. Destinations are judged by the rules of
# the container that uses them, as far as docs/security.md says.
load lib

GOOD=127.0.0.2
BAD=127.0.0.3

# with_stdin TYPE COMMAND...: runs it with a socket of that type as standard input.
with_stdin() {
	python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_INET, getattr(socket, sys.argv[1]))
os.dup2(s.fileno(), 0)
os.execvp(sys.argv[2], sys.argv[2:])' "$@"
}

# run_with_stdin TYPE RULES SCRIPT
run_with_stdin() {
	mkdir -p "$T/b"
	bundle "$T/b" ".annotations[\"io.sandlock.network.allow\"] = \"$2\""
	cp "$HELPERS/netattack" "$T/b/rootfs/bin/"
	jq --arg s "$3" '.process.args = ["sh", "-c", $s]' "$T/b/config.json" >"$T/b/c"
	mv "$T/b/c" "$T/b/config.json"
	new_id
	with_stdin "$1" timeout 20 "$RUNTIME" --root "$ROOT" "${RT_GLOBALS[@]}" run --bundle "$T/b" "$ID" \
		>"$T/out" 2>"$T/err" 3>&-
}

# given RULES SCRIPT: a process of the host passes sockets to the container at /given.
given() {
	mkdir -p "$T/given"
	rm -f "$T/given/s"
	"$HELPERS/netattack" give "$T/given/s" both >"$T/give" 3>&- &
	eventually 5 grep -q up "$T/give"
	net_in "$1" "$2" ".mounts += [{destination: \"/given\", type: \"bind\", source: \"$T/given\", options: [\"rbind\", \"rw\"]}]"
	has "$T/give" "given ok"
}

@test "standard input is a TCP socket of the caller" {
	serve $GOOD:$PORT $BAD:$PORT
	is "$(with_stdin SOCK_STREAM "$HELPERS/netattack" fd 0 $BAD $PORT)" "connect ok"
	is "$(count $BAD:$PORT tcp)" 1
	run_with_stdin SOCK_STREAM "tcp://$GOOD:$PORT" "netattack fd 0 $BAD $PORT; netattack fd 0 $GOOD $PORT"
	out_is "$(printf 'connect ECONNREFUSED\nconnect ok')"
	is "$(count $BAD:$PORT tcp)" 1
}

@test "standard input is a UDP socket of the caller" {
	serve $GOOD:$PORT $BAD:$PORT
	is "$(with_stdin SOCK_DGRAM "$HELPERS/netattack" fd 0 $BAD $PORT)" "$(printf 'sendto ok\nconnect ok')"
	is "$(count $BAD:$PORT udp)" 1
	run_with_stdin SOCK_DGRAM "udp://$GOOD:$PORT" "netattack fd 0 $BAD $PORT; netattack fd 0 $GOOD $PORT"
	out_is "$(printf 'sendto ECONNREFUSED\nconnect ECONNREFUSED\nsendto ok\nconnect ok')"
	is "$(count $BAD:$PORT udp)" 1
}

@test "a process of the host passes sockets" {
	serve $GOOD:$PORT $BAD:$PORT
	"$HELPERS/netattack" give "$T/g" both >"$T/give" 3>&- &
	eventually 5 grep -q up "$T/give"
	is "$("$HELPERS/netattack" taken "$T/g" $BAD $PORT)" "$(printf 'connect ok\nsendto ok\nconnect ok')"
	is "$(count $BAD:$PORT tcp) $(count $BAD:$PORT udp)" "1 1"
	given "$GOOD:$PORT" "netattack taken /given/s $BAD $PORT"
	out_is "$(printf 'connect ECONNREFUSED\nsendto ECONNREFUSED\nconnect ECONNREFUSED')"
	given "$GOOD:$PORT" "netattack taken /given/s $GOOD $PORT"
	out_is "$(printf 'connect ok\nsendto ok\nconnect ok')"
	is "$(count $BAD:$PORT tcp) $(count $BAD:$PORT udp)" "1 1"
}

# giver RULES WHAT: starts a container that passes sockets on at /given, by the directory $share.
giver() {
	mkdir -p "$T/given"
	rm -f "$T/given/s"
	share=".mounts += [{destination: \"/given\", type: \"bind\", source: \"$T/given\", options: [\"rbind\", \"rw\"]}]"
	started "while [ ! -e /go ]; do sleep 0.05; done; netattack give /given/s $2" \
		"$share | .annotations[\"io.sandlock.network.allow\"] = \"$1\""
	cp "$HELPERS/netattack" "$T/$ID/rootfs/bin/"
	touch "$T/$ID/rootfs/go"
	eventually 5 grep -q up "$T/$ID.out"
	giver=$ID
}

@test "another container passes sockets: its own rules do not come with them" {
	serve $GOOD:$PORT $BAD:$PORT
	for rules in "$BAD:$PORT" "$GOOD:$PORT"; do
		giver "$BAD:$PORT" streams
		net_in "$rules" "netattack taken /given/s $BAD $PORT" "$share"
		cp "$T/out" "$T/taken.${rules%:*}"
		rt delete --force "$giver"
	done
	# The control arm: rules of its own that allow it.
	is "$(cat "$T/taken.$BAD")" "$(printf 'connect ok\nconnect ok')"
	is "$(cat "$T/taken.$GOOD")" "$(printf 'connect ECONNREFUSED\nconnect ECONNREFUSED')"
	is "$(count $BAD:$PORT tcp)" 2
}

@test "a container passes no datagram socket: whoever gets it may be without rules" {
	serve $BAD:$PORT
	giver "$BAD:$PORT" both
	net_in "tcp://$GOOD:$PORT" "netattack taken /given/s $BAD $PORT; echo \$?" "$share"
	out_is 3
	eventually 5 has "$T/$giver.out" 'given EPERM'
	is "$(tail -1 "$ROOT/$giver/audit.log" | jq -r '.syscall + " " + .rule')" "sendmsg datagram sockets are not passed on"
	is "$(count $BAD:$PORT udp)" 0
	rt delete --force "$giver"
	# The control arm: from outside of any container it can be passed, and then sends.
	"$HELPERS/netattack" give "$T/given/s2" both >"$T/give" 3>&- &
	eventually 5 grep -q up "$T/give"
	net_in "tcp://$GOOD:$PORT" "netattack taken /given/s2 $BAD $PORT" "$share"
	has "$T/out" 'sendto ok'
	is "$(count $BAD:$PORT udp)" 1
}

four_lines() {
	[ "$(wc -l <"$1")" -eq 4 ]
}

@test "the supervisor's control socket is not reachable, by its path and by /proc" {
	started "while [ ! -e /go ]; do sleep 0.05; done; for p in \$(cat /go); do netattack packets \$p; done; sleep 20" \
		".annotations[\"io.sandlock.network.allow\"] = \"*\""
	cp "$HELPERS/netattack" "$T/$ID/rootfs/bin/"
	supervisor=$(pid_of "$ID")
	cd "$ROOT/$ID"
	is "$("$HELPERS/netattack" packets control.sock)" "packets ok"
	cd "$T"
	echo "$ROOT/$ID/control.sock control.sock /proc/$supervisor/cwd/control.sock /proc/$supervisor/root/control.sock" >"$T/go"
	cp "$T/go" "$T/$ID/rootfs/go.new"
	mv "$T/$ID/rootfs/go.new" "$T/$ID/rootfs/go"
	eventually 5 four_lines "$T/$ID.out"
	is "$(sort "$T/$ID.out" | uniq -c | tr -s ' ')" " 4 packets ENOENT"
	rt delete --force "$ID"
}
