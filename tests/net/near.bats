#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Datagram sockets that were connected to a port of this node while the own pod held it, and what
# becomes of them when somebody else has the port. The stack of the runtime is a namespace of the
# test, so that the node has an address besides loopback. What the new holder has received decides.
load lib

RULE='.annotations["io.sandlock.network.allow"] = "udp://192.0.2.1:9"'
POD='.annotations["io.kubernetes.cri.sandbox-id"]'

setup() {
	harness_setup
	ours || skip "another network"
	env -u SANDLOCK_TEST_MARK unshare --net sh -c 'ip link set lo up; ip addr add 10.9.9.2/32 dev lo; echo up; exec sleep 120' >"$T/ns" 3>&- &
	NS=$!
	eventually 5 grep -q up "$T/ns"
	mkdir "$T/in" "$T/vol"
	chmod 777 "$T/vol"
	printf '#!/bin/sh\nexec nsenter --net=/proc/%s/ns/net "%s" "$@"\n' "$NS" "$RUNTIME" >"$T/in/sandlock-oci"
	chmod +x "$T/in/sandlock-oci"
	RUNTIME=$T/in/sandlock-oci
	VOL=".mounts += [{destination: \"/vol\", type: \"bind\", source: \"$T/vol\", options: [\"rbind\", \"rw\"]},
		{destination: \"/bin/sockets\", type: \"bind\", source: \"$HELPERS/sockets\", options: [\"bind\", \"ro\"]}]"
}

bare() {
	nsenter --net="/proc/$NS/ns/net" "$HELPERS/sockets" "$@"
}

# started_in STEPS [JQ]: starts a container with the helper, whose output is $T/$ID.out.
started_in() {
	started "sockets $1" "$RULE | $VOL | ${2:-.}"
}

# attack KIND ADDRESS DIR: a socket is connected while the own pod holds the port; then the pod leaves
# the port.
attack() {
	echo "$1 'bind $2 $PORT' $1 'connect $2 $PORT' 'send own' 'use 0' recv close" \
		"'sleep 100' 'touch $3/go' 'wait $3/up' 'use 1' 'send stolen' 'send stolen' peer"
}

# taken ARGS...: a process of the host binds the port as soon as it is free, and prints what arrives.
taken() {
	rm -f "$T/vol/go" "$T/vol/up"
	nsenter --net="/proc/$NS/ns/net" "$HELPERS/sockets" "wait $T/vol/go" "$@" "touch $T/vol/up" from >"$T/victim" 2>&1 3>&- &
	VICTIM=$!
}

ends_without() {
	eventually 10 grep -q "^peer" "$1"
	sleep 0.2
	kill "$VICTIM"
	wait "$VICTIM" || true
	cat "$1" "$T/victim"
	is "$(grep -c "bind ok" "$T/victim")" 1
	is "$(grep -c stolen "$T/victim")" 0
}

@test "control: without a container what was connected reaches the new holder" {
	for to in "udp4 127.0.0.1" "udp6 ::1" "udp4 10.9.9.2"; do
		# shellcheck disable=SC2086
		set -- $to
		taken $1 "bind $2 $PORT"
		eval "bare $(attack $1 $2 "$T/vol")" >"$T/attacker"
		has "$T/attacker" "recv own"
		eventually 5 grep -q "from stolen" "$T/victim"
		wait "$VICTIM"
	done
}

@test "it is cut before a service of the host has the port: loopback of both families, the node's own address" {
	for to in "udp4 127.0.0.1" "udp6 ::1" "udp4 10.9.9.2"; do
		# shellcheck disable=SC2086
		set -- $to
		taken $1 "bind $2 $PORT"
		started_in "$(attack $1 $2 /vol)"
		ends_without "$T/$ID.out"
		has "$T/$ID.out" "recv own"
		is "$(grep -c "send EDESTADDRREQ" "$T/$ID.out")" 2
		has "$T/$ID.out" "peer ENOTCONN"
		rt delete --force "$ID"
	done
}

@test "the same when another pod takes the port" {
	started_in "udp4 'wait /vol/go' 'bind 127.0.0.1 $PORT' 'touch /vol/up' from" "$POD = \"pod-b\""
	victim=$ID
	started_in "$(attack udp4 127.0.0.1 /vol)" "$POD = \"pod-a\""
	eventually 10 grep -q "^peer" "$T/$ID.out"
	sleep 0.2
	has "$T/$victim.out" "bind ok"
	is "$(grep -c stolen "$T/$victim.out")" 0
	is "$(grep -c "send EDESTADDRREQ" "$T/$ID.out")" 2
	rt delete --force "$victim"
	rt delete --force "$ID"
}

# The other pod tries to bind repeatedly, and the sends begin as soon as the own socket is closed.
@test "nothing gets to another pod that takes the port in the same moment" {
	local binds sends
	binds=$(printf "'bind 127.0.0.1 $PORT' 'sleep 1' %.0s" $(seq 300))
	sends=$(printf "'send stolen' 'sleep 1' %.0s" $(seq 100))
	for try in 1 2 3; do
		rm -f "$T/vol/go" "$T/vol/up"
		started_in "udp4 'bind 127.0.0.1 $PORT' udp4 'connect 127.0.0.1 $PORT' 'touch /vol/up' 'wait /vol/go' 'sleep 100' 'use 0' close 'use 1' $sends peer" "$POD = \"pod-a\""
		attacker=$ID
		eventually 5 test -e "$T/vol/up"
		started_in "udp4 'touch /vol/go' $binds 'shut 200' from" "$POD = \"pod-b\""
		eventually 10 grep -q "^from" "$T/$ID.out"
		has "$T/$ID.out" "bind EADDRINUSE"
		has "$T/$ID.out" "bind ok"
		is "$(grep -c stolen "$T/$ID.out")" 0
		rt delete --force "$attacker"
		rt delete --force "$ID"
	done
}

@test "it is cut when somebody shares the port, too" {
	taken udp4 reuseaddr "bind 127.0.0.1 $PORT"
	started_in "udp4 reuseaddr 'bind 127.0.0.1 $PORT' udp4 'connect 127.0.0.1 $PORT' 'touch /vol/go' 'wait /vol/up' 'sleep 100' 'send stolen' peer"
	ends_without "$T/$ID.out"
	rt delete --force "$ID"
}

@test "a server that is started anew has its clients back, and one of the same pod as well" {
	started_in "udp4 'wait /vol/go' 'bind 127.0.0.1 $PORT' 'touch /vol/up' from" "$POD = \"pod-a\""
	server=$ID
	started_in "udp4 'bind 127.0.0.1 $PORT' udp4 'connect 127.0.0.1 $PORT' 'use 0' close 'sleep 100' 'use 1' 'send lost' udp4 'bind 127.0.0.1 $PORT' 'sleep 100' 'use 1' 'send again' 'use 2' recv close 'sleep 100' 'touch /vol/go' 'wait /vol/up' 'sleep 100' 'use 1' 'send sibling' peer" "$POD = \"pod-a\""
	eventually 10 grep -q "^peer" "$T/$ID.out"
	is "$(cat "$T/$ID.out")" "$(printf '%s\n' 'bind ok' 'connect ok' 'send EDESTADDRREQ' 'bind ok' 'send ok' 'recv again' 'send ok' "peer 127.0.0.1 $PORT")"
	eventually 5 grep -q "from sibling" "$T/$server.out"
	rt delete --force "$server"
	rt delete --force "$ID"
}

@test "who connects it elsewhere himself keeps that connection; hundreds of sockets come and go" {
	nsenter --net="/proc/$NS/ns/net" "$HELPERS/sockets" udp4 "bind 10.9.9.2 $((PORT + 1))" from >"$T/elsewhere" 3>&- &
	SERVER=$!
	node_policy '{"network": {"localRules": "allow"}}'
	started_in "udp4 'bind 127.0.0.1 $PORT' udp4 'connect 127.0.0.1 $PORT' 'connect 10.9.9.2 $((PORT + 1))' 'use 0' close 'sleep 100' 'use 1' 'send mine' peer" \
		".annotations[\"io.sandlock.network.allow\"] = \"udp://10.9.9.2\""
	eventually 10 grep -q "^peer" "$T/$ID.out"
	has "$T/$ID.out" "peer 10.9.9.2 $((PORT + 1))"
	eventually 5 grep -q "from mine" "$T/elsewhere"
	rt delete --force "$ID"
	started_in "udp4 'bind 127.0.0.1 $PORT' 'touch /vol/up' 'sleep 30000' &
		sockets 'wait /vol/up'
		for i in \$(seq 300); do sockets udp4 'connect 127.0.0.1 $PORT'; done; touch /vol/done; wait"
	eventually 20 test -e "$T/vol/done"
	is "$(grep -c "connect ok" "$T/$ID.out")" 300
	# A second later the supervisor has no duplicates of these sockets any more.
	eventually 5 sh -c "n=\$(ls -l /proc/$(cat "$T/$ID.pid")/fd | grep -c socket); [ \$n -gt 0 ] && [ \$n -lt 30 ]"
	rt delete --force "$ID"
}

@test "nothing is connected to a free port, nor to more destinations than are looked after" {
	started_in "udp4 'connect 127.0.0.1 $PORT' udp6 'connect ::1 $PORT' udp4 'connect 10.9.9.2 $PORT' 'send x' peer"
	eventually 5 grep -q "^peer" "$T/$ID.out"
	is "$(cat "$T/$ID.out")" "$(printf 'connect ECONNREFUSED\nconnect ECONNREFUSED\nconnect ECONNREFUSED\nsend EDESTADDRREQ\npeer ENOTCONN')"
	rt delete --force "$ID"
	started "for i in \$(seq 20); do sockets udp4 \"bind 127.0.0.1 \$(($PORT + i))\" udp4 \"connect 127.0.0.1 \$(($PORT + i))\" 'sleep 3000' & sleep 0.1; done; wait" \
		"$RULE | $VOL"
	eventually 10 sh -c "[ \$(grep -c connect '$T/$ID.out') -eq 20 ]"
	is "$(grep -c "connect ok" "$T/$ID.out")" 16
	is "$(grep -c "connect EAGAIN" "$T/$ID.out")" 4
	rt delete --force "$ID"
}

# changed COMMAND...: sends to 10.9.8.77 as to another host, then the command makes it the node's own.
changed() {
	rm -f "$T/vol/go" "$T/vol/up"
	started_in "udp4 'to 10.9.8.77 $PORT a' 'to 10.9.8.77 $PORT b' 'touch /vol/go' 'wait /vol/up' 'to 10.9.8.77 $PORT c' close" \
		".annotations[\"io.sandlock.network.allow\"] = \"udp://10.9.8.0/24\""
	eventually 5 test -e "$T/vol/go"
	nsenter --net="/proc/$NS/ns/net" "$@"
	nsenter --net="/proc/$NS/ns/net" "$HELPERS/sockets" udp4 "bind 10.9.8.77 $PORT" "touch $T/vol/up" from >"$T/own" 3>&- &
	SERVER=$!
	eventually 5 sh -c "[ \$(wc -l <'$T/$ID.out') -eq 3 ]"
	is "$(cat "$T/$ID.out")" "$(printf 'to ok\nto ok\nto ECONNREFUSED')"
	is "$(cat "$T/own")" "bind ok"
	# The control: without a container the host receives it.
	bare udp4 "to 10.9.8.77 $PORT control"
	eventually 5 grep -q control "$T/own"
	rt delete --force "$ID"
}

@test "what was another host's and becomes the own address is seen with the next datagram" {
	nsenter --net="/proc/$NS/ns/net" sh -c 'ip link add away type dummy 2>/dev/null || ip link add away type veth peer name beyond
		ip link set away up; ! ip link set beyond up 2>/dev/null || true
		ip addr add 10.9.8.2/24 dev away; ip neigh replace 10.9.8.77 lladdr 02:00:00:00:00:77 nud permanent dev away'
	changed ip addr add 10.9.8.77/32 dev lo
	nsenter --net="/proc/$NS/ns/net" ip addr del 10.9.8.77/32 dev lo
	changed ip route add local 10.9.8.77 dev lo
}
