#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A network namespace that the caller names: joined where the node says so, and only there.
# The namespace is made here and holds nothing but its loopback with one more address.
load lib

setup() {
	harness_setup
	ours || skip "another network"
	unshare --net sh -c 'ip link set lo up; ip addr add 10.9.9.2/32 dev lo; echo "0 2147483647" >/proc/sys/net/ipv4/ping_group_range; echo up; exec sleep 60' >"$T/ns" 3>&- &
	NS=$!
	eventually 5 grep -q up "$T/ns"
	JOIN=".linux.namespaces += [{type: \"network\", path: \"/proc/$NS/ns/net\"}]"
	node_policy '{"network": {"namespace": "join", "localRules": "allow"}}'
}

@test "without the node's word the host's network stays" {
	node_policy '{}'
	sh_in 'readlink /proc/self/ns/net' "$JOIN"
	out_is "$(readlink /proc/self/ns/net)"
}

@test "joined, by exec'd processes as well; /proc/net is the pod's" {
	started 'readlink /proc/self/ns/net; grep -c : /proc/net/dev; sleep 20' "$JOIN"
	eventually 5 grep -qx 1 "$T/$ID.out"
	is "$(head -1 "$T/$ID.out")" "$(readlink "/proc/$NS/ns/net")"
	rt exec "$ID" readlink /proc/self/ns/net
	out_is "$(readlink "/proc/$NS/ns/net")"
	rt delete --force "$ID"
}

@test "hooks run in the runtime's own namespace" {
	readlink /proc/self/ns/net >"$T/own"
	sh_in true "$JOIN | .hooks = {createRuntime: [{path: \"/bin/sh\", args: [\"sh\", \"-c\", \"readlink /proc/self/ns/net >$T/hook\"]}]}"
	is "$(cat "$T/hook")" "$(cat "$T/own")"
}

@test "own server on the pod's address; wide rules reach neither the node nor link-local" {
	own=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
	net_in "*" "(nc -l -p $PORT -e echo pod &); sleep 0.3; nc 10.9.9.2 $PORT; probe tcp 169.254.169.254 80; ${own:+probe tcp $own 22}" "$JOIN"
	is "$(sed -n 1p "$T/out")" pod
	is "$(sed -n 2p "$T/out")" ECONNREFUSED
	[ -z "$own" ] || is "$(sed -n 3p "$T/out")" ECONNREFUSED
}

@test "a server of the namespace is reached by rule, v4, UDP and ping, and not without" {
	nsenter --net="/proc/$NS/ns/net" "$BATS_TEST_DIRNAME/server.py" "$T/counts" 10.9.9.2:$PORT >"$T/server.log" 2>&1 3>&- &
	SERVER=$!
	eventually 5 test -s "$T/counts"
	net_in "10.9.9.2:$PORT; icmp://10.9.9.2" "probe tcp 10.9.9.2 $PORT; probe udp 10.9.9.2 $PORT; netprobe ping 10.9.9.2" "$JOIN"
	out_is "$(printf 'ok\nok\nok 16')"
	net_in "10.9.9.3:$PORT" "probe tcp 10.9.9.2 $PORT; probe udp 10.9.9.2 $PORT; netprobe ping 10.9.9.2" "$JOIN"
	out_is "$(printf 'ECONNREFUSED\nECONNREFUSED\nEBADF -1')"
	is "$(count 10.9.9.2:$PORT tcp)" 1
	is "$(count 10.9.9.2:$PORT udp)" 1
}
