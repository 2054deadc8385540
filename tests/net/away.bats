#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Destinations beyond this machine, in a network namespace that is joined: what is sent to
# the neighbours 10.9.9.77 and fd09::77 is lost, because nobody is behind the link.
load lib

setup() {
	harness_setup
	ours || skip "another network"
	unshare --net sh -c '
		ip link set lo up
		echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
		ip link add away type dummy 2>/dev/null || ip link add away type veth peer name beyond
		ip link set away up
		! ip link set beyond up 2>/dev/null || true
		ip addr add 10.9.9.2/24 brd 10.9.9.255 dev away
		ip addr add fd09::2/64 dev away nodad
		ip route add default dev away
		ip route add 224.0.0.0/4 dev away
		ip -6 route add default dev away
		for a in 10.9.9.77 fd09::77; do
			ip neigh replace $a lladdr 02:00:00:00:00:77 nud permanent dev away
		done
		echo up; exec sleep 100' >"$T/ns" 3>&- &
	NS=$!
	eventually 5 grep -q up "$T/ns"
	JOIN="(.linux.namespaces[] | select(.type == \"network\")) += {path: \"/proc/$NS/ns/net\"}"
	node_policy '{"network": {"namespace": "join", "localRules": "allow"}}'
}

there() {
	nsenter --net="/proc/$NS/ns/net" "$@"
}

serve_there() {
	there "$BATS_TEST_DIRNAME/server.py" "$T/counts" "$@" >"$T/server.log" 2>&1 3>&- &
	SERVER=$!
	eventually 5 test -s "$T/counts"
}

@test "one destination that never answers slows no other connect" {
	serve_there 10.9.9.2:$PORT
	net_in "tcp://10.9.9.2:$PORT; tcp://10.9.9.77:$PORT" "netprobe hang 10.9.9.77 10.9.9.2 $PORT 2000" "$JOIN"
	cat "$T/out"
	alone=$(field "$(sed -n 1p "$T/out")" median)
	beside=$(field "$(sed -n 2p "$T/out")" median)
	is "$(field "$(sed -n 2p "$T/out")" failed)" 0
	awk -v a="$alone" -v b="$beside" 'BEGIN { exit !(b < 2 * a + 20) }'
}

@test "a thousand connects that never end, and others beside them" {
	LIMIT=60
	serve_there 10.9.9.2:$PORT
	net_in "tcp://10.9.9.2:$PORT; tcp://10.9.9.77:$PORT" \
		"netprobe crowd 10.9.9.77 10.9.9.2 $PORT 1000" "$JOIN | .process.rlimits = [{type: \"RLIMIT_NOFILE\", hard: 4096, soft: 4096}]"
	cat "$T/out"
	is "$(field "$(tail -1 "$T/out")" waiting)" 1000
	is "$(field "$(sed -n 2p "$T/out")" failed)" 0
	alone=$(field "$(sed -n 1p "$T/out")" median)
	beside=$(field "$(sed -n 2p "$T/out")" median)
	# The kernel searches its list of calls in line.
	awk -v a="$alone" -v b="$beside" 'BEGIN { exit !(b < 20 * a + 500) }'
}

@test "signals, a kill and SO_SNDTIMEO end a connect that never answers" {
	want=$(there "$HELPERS/netprobe" interrupt 10.9.9.77 $PORT; there "$HELPERS/netprobe" timeout 10.9.9.77 $PORT)
	net_in "tcp://10.9.9.77:$PORT" "netprobe interrupt 10.9.9.77 $PORT; netprobe timeout 10.9.9.77 $PORT" "$JOIN"
	out_is "$want"
	is "$(head -1 <<<"$want")" "EINTR 1"
}

@test "non-blocking sockets: EINPROGRESS, EALREADY, SO_ERROR" {
	serve_there 10.9.9.2:$PORT
	want=$(there "$HELPERS/netprobe" nonblock 10.9.9.2 10.9.9.77 $PORT)
	net_in "tcp://10.9.9.2:$PORT; tcp://10.9.9.77:$PORT" "netprobe nonblock 10.9.9.2 10.9.9.77 $PORT" "$JOIN"
	out_is "$want"
	is "$(sed -n 2p "$T/out")" "EINPROGRESS EALREADY"
}

@test "datagrams to many: broadcast, multicast, with wide rules and with none that names them" {
	groups="255.255.255.255 10.9.9.255 224.0.0.1 239.1.2.3 ff02::1 ff05::1234 ::ffff:224.0.0.1"
	serve_there 10.9.9.255:$PORT
	there "$HELPERS/netattack" groups $PORT $groups >"$T/control"
	if grep -v ' ok$' "$T/control"; then false; fi
	is "$(count 10.9.9.255:$PORT udp)" 1
	net_in "*; 0.0.0.0/0; ::/0; udp://10.9.9.0/24" "netattack groups $PORT $groups" "$JOIN"
	is "$(grep -c ' ECONNREFUSED$' "$T/out")" 7
	is "$(count 10.9.9.255:$PORT udp)" 1
	# A rule that writes one opens that one.
	net_in "udp://239.1.2.3:$PORT" "netattack groups $PORT $groups" "$JOIN"
	is "$(grep ' ok$' "$T/out")" "239.1.2.3 ok"
}

@test "a denied IPv4 address is denied inside an IPv6 one too, in every spelling" {
	local spellings="64:ff9b::a4d:3 64:ff9b:1::a4d:3 2002:a4d:3::1 2001:0:a4d:3::1 2001:0:808:808::f5b2:fffc
		::ffff:0:10.77.0.3 2001:db8::5efe:10.77.0.3"
	local script="for a in ${spellings//$'\n'/ }; do timeout 1 probe tcp \$a $PORT; [ \$? -ne 143 ] || echo waits; done | sort | uniq -c | tr -s ' '"
	# The control arm: nothing is denied, and what is sent there is lost on the way.
	net_in "tcp://*:$PORT" "$script" "$JOIN"
	out_is ' 7 waits'
	net_in "tcp://*:$PORT" "$script" "$JOIN | .annotations[\"io.sandlock.network.deny\"] = \"10.77.0.0/24\""
	out_is ' 7 ECONNREFUSED'
}
