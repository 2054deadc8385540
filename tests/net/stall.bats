#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A container cannot block its supervisor by a property of a socket that both have: the supervisor
# answers all other callers. Control arm: without a container the same program blocks.
load lib

SECONDS_OF_TRYING=3
ANSWER_MS=4000

within() {
	local before
	before=$(now_ms)
	"$@"
	[ $(($(now_ms) - before)) -lt $ANSWER_MS ]
}

stalled_by() {
	is "$("$HELPERS/netstall" "$1" alone)" held
	mkdir -p "$T/b"
	cp -a "$(busybox_root)" "$T/b/rootfs"
	cp "$HELPERS/netstall" "$T/b/rootfs/bin/"
	new_id
	bundle "$T/b" ".process.args = [\"netstall\", \"$1\", \"in\"] |
		.annotations[\"io.sandlock.network.allow\"] = \"udp://127.0.0.1:$PORT\""
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	sleep $SECONDS_OF_TRYING
	within rt state "$ID"
	ok
	has "$T/out" '"running"'
	within rt exec "$ID" true
	ok
	within rt kill "$ID" KILL
	ok
	within wait_state "$ID" stopped
}

@test "a thread resets SO_SNDTIMEO of a socket whose connect waits for room" {
	stalled_by bound
}

@test "a thread clears O_NONBLOCK in the moment of the connect" {
	stalled_by flag
}

@test "a thread resets SO_SNDTIMEO of a unix socket, connected by path to a full queue" {
	stalled_by unix
}

# The caller of a call that waited has ended, so that the supervisor has the last descriptor.
@test "a socket with SO_LINGER that the supervisor closes" {
	is "$("$HELPERS/netstall" linger alone)" held
	mkdir -p "$T/b"
	cp -a "$(busybox_root)" "$T/b/rootfs"
	cp "$HELPERS/netstall" "$T/b/rootfs/bin/"
	started 'netstall linger in; sleep 60' ".annotations[\"io.sandlock.network.allow\"] = \"udp://127.0.0.1:$PORT\" |
		.mounts += [{destination: \"/bin/netstall\", type: \"bind\", source: \"$HELPERS/netstall\", options: [\"bind\"]}]"
	eventually 5 test -s "$T/$ID.out"
	sleep 0.3
	rt exec "$ID" kill -9 "$(cat "$T/$ID.out")"
	ok
	sleep 0.3
	within rt exec "$ID" true
	ok
	within rt delete --force "$ID"
	ok
}

# A connect that is left waiting would be connected to a later holder of the port.
@test "no connect that must not wait is left begun where a listener of the pod has no room" {
	is "$("$HELPERS/netstall" bound room)" "$(printf 'EINPROGRESS\nEINPROGRESS\nEINPROGRESS\nok')"
	net_in "udp://127.0.0.1:$PORT" "netstall bound room"
	out_is "$(printf 'EINPROGRESS\nECONNREFUSED\nECONNREFUSED\nok')"
}

# switches PID: how often the process has waited.
switches() {
	awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$1/status"
}

@test "nothing wakes a supervisor that has answered" {
	started "probe tcp 127.0.0.1 $PORT; sleep 60" ".annotations[\"io.sandlock.network.allow\"] = \"udp://192.0.2.1:9\""
	eventually 5 grep -q E "$T/$ID.out"
	local pid before
	pid=$(cat "$T/$ID.pid")
	sleep 1
	before=$(switches "$pid")
	sleep 2
	[ $(($(switches "$pid") - before)) -le 3 ]
	rt delete --force "$ID"
}
