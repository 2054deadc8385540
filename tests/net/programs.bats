#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Real clients (images/clients). The container joins one namespace of the test, the servers
# are in another one behind a link: 10.9.9.77 and fd09::77, which rules allow by address or
# by the pinned name server.test, and 10.9.9.78 and fd09::78, which nothing allows. Every
# program is run a second time with rules that open those too: the control arm.
load lib

UP4=10.9.9.77
UP6=fd09::77
NO4=10.9.9.78
NO6=fd09::78

setup_file() {
	DEBIAN=$("$BATS_TEST_DIRNAME/../images/clients")
	export DEBIAN
}

setup() {
	harness_setup
	ours || skip "another network"
	unshare --net sh -c 'ip link set lo up; echo up; exec sleep 200' >"$T/far" 3>&- &
	FAR=$!
	eventually 5 grep -q up "$T/far"
	unshare --net sh -c "
		ip link set lo up
		echo '0 2147483647' >/proc/sys/net/ipv4/ping_group_range
		ip link add away type veth peer name beyond netns $FAR
		ip addr add 10.9.9.2/24 dev away
		ip addr add fd09::2/64 dev away nodad
		ip link set away up
		echo up; exec sleep 200" >"$T/near" 3>&- &
	NEAR=$!
	eventually 5 grep -q up "$T/near"
	far sh -c "
		for a in $UP4/24 $NO4/24; do ip addr add \$a dev beyond; done
		for a in $UP6/64 $NO6/64; do ip addr add \$a dev beyond nodad; done
		ip link set beyond up"
	JOIN="(.linux.namespaces[] | select(.type == \"network\")) += {path: \"/proc/$NEAR/ns/net\"}"
	node_policy '{"network": {"namespace": "join"}}'
	names "$UP4 server.test" "$UP6 server.test"
}

teardown() {
	kill "$NEAR" "$FAR" 2>/dev/null || true
	[ -z "${SERVER:-}" ] || kill "$SERVER" 2>/dev/null || true
	harness_teardown
}

far() {
	nsenter --net="/proc/$FAR/ns/net" "$@"
}

# names LINE...: sets the names that the runtime's resolver finds, in this test only.
names() {
	{
		echo "127.0.0.1 localhost"
		printf '%s\n' "$@"
	} >"$T/hosts"
	[ -e "$T/wrap" ] && return
	mkdir "$T/wrap"
	cat >"$T/wrap/sandlock-oci" <<-END
		#!/bin/sh
		exec unshare -m --propagation private sh -c '
			mount --bind "$T/hosts" /etc/hosts && exec "$RUNTIME" "\$@"' - "\$@"
	END
	chmod +x "$T/wrap/sandlock-oci"
	RUNTIME=$T/wrap/sandlock-oci
}

# serve_far KIND: starts a server on the four addresses.
serve_far() {
	rm -f "$T/counts"
	far "$BATS_TEST_DIRNAME/server.py" "$T/counts" "${1:+$1:}$UP4:$PORT" \
		"${1:+$1:}[$UP6]:$PORT" "${1:+$1:}$NO4:$PORT" "${1:+$1:}[$NO6]:$PORT" >"$T/server.log" 2>&1 3>&- &
	SERVER=$!
	eventually 5 test -s "$T/counts"
}

# arms KIND PROTOCOL RULES SCRIPT CLOSED OPEN: what the script says with the rules, and with
# rules that open the rest as well. The programs are in /mnt.
arms() {
	local programs=".mounts += [{destination: \"/mnt\", type: \"bind\", source: \"$BATS_TEST_DIRNAME/programs\", options: [\"rbind\", \"ro\"]}]"
	serve_far "$1"
	debian_in "$3" "$4" "$JOIN | $programs"
	ok
	out_is "$5"
	is "$(count "$NO4:$PORT" "$2") $(count "[$NO6]:$PORT" "$2")" "0 0"
	[ "$(count "$UP4:$PORT" "$2")" -gt 0 ]
	[ "$(count "[$UP6]:$PORT" "$2")" -gt 0 ]
	debian_in "$3; $NO4:$PORT; [$NO6]:$PORT" "$4" "$JOIN | $programs"
	ok
	out_is "$6"
	[ "$(count "$NO4:$PORT" "$2")" -gt 0 ]
	[ "$(count "[$NO6]:$PORT" "$2")" -gt 0 ]
}

HOSTS="$UP4 $UP6 server.test $NO4 $NO6"

@test "curl" {
	arms http tcp "tcp://server.test:$PORT" "
		for host in $UP4 '[$UP6]' server.test; do curl -s http://\$host:$PORT/; done
		for host in $NO4 '[$NO6]'; do
			for i in 1 2 3 4 5 6 7 8 9 10; do
				curl -s -o /dev/null -w '%{exitcode} %{time_total}\n' http://\$host:$PORT/
			done | sort -k2n | awk 'NR == 1 { print \$1, \$1 == 0 || \$2 < 0.005 }'
		done" \
		"$(printf 'hello\nhello\nhello\n7 1\n7 1')" "$(printf 'hello\nhello\nhello\n0 1\n0 1')"
}

@test "python: requests, aiohttp, asyncio" {
	arms http tcp "tcp://server.test:$PORT" "python3 /mnt/client.py $PORT $HOSTS" \
		"$(for i in 1 2 3; do echo "hello hello hello ECONNREFUSED True ECONNREFUSED True"; done)" \
		"$(for i in 1 2 3; do echo "hello hello hello hello hello"; done)"
}

@test "node: fetch, net, dgram" {
	arms http tcp "server.test:$PORT" "node /mnt/client.js $PORT $HOSTS" \
		"$(for i in hello hello ping; do echo "$i $i $i ECONNREFUSED true ECONNREFUSED true"; done)" \
		"$(for i in hello hello ping; do echo "$i $i $i $i $i"; done)"
	# No datagram has arrived either.
	is "$(count "$NO4:$PORT" udp)" 1
}

@test "Go, with its own resolver: net/http, net.Dial, net.Interfaces" {
	arms http tcp "server.test:$PORT" "
		goclient http://$UP4:$PORT/ 'http://[$UP6]:$PORT/' http://server.test:$PORT/ \
			udp/$UP4:$PORT 'udp/[$UP6]:$PORT' udp/server.test:$PORT name//server.test interfaces
		for no in $NO4 '[$NO6]'; do goclient http://\$no:$PORT/ udp/\$no:$PORT tcp/\$no:$PORT; done" \
		"$(printf 'hello\nhello\nhello\nping\nping\nping\n%s %s\nlo 127.0.0.1/8\n' $UP4 $UP6
		for no in 4 6; do printf 'ECONNREFUSED\nECONNREFUSED true\nECONNREFUSED true\n'; done)" \
		"$(printf 'hello\nhello\nhello\nping\nping\nping\n%s %s\nlo 127.0.0.1/8\n' $UP4 $UP6
		for no in 4 6; do printf 'hello\nping\nopen\n'; done)"
}

@test "Java: HTTP, sockets, datagrams, interfaces" {
	LIMIT=60
	arms http tcp "server.test:$PORT" \
		"java=(/usr/lib/jvm/java-*/bin/java); \$java -XX:TieredStopAtLevel=1 /mnt/Client.java $PORT $HOSTS" \
		"$(for i in hello hello ping; do echo "$i $i $i refused true refused true"; done; echo true)" \
		"$(for i in hello hello ping; do echo "$i $i $i $i $i"; done; echo true)"
}

@test "nc" {
	arms "" tcp "tcp://server.test:$PORT" "
		for host in $UP4 $UP6 server.test; do nc -w3 \$host $PORT </dev/null; done
		for host in $NO4 $NO6; do nc -w3 -v \$host $PORT </dev/null 2>&1; done |
			sed -n 's/.*failed: //p; /^hi/p'" \
		"$(printf 'hi\nhi\nhi\nConnection refused\nConnection refused')" \
		"$(printf 'hi\nhi\nhi\nhi\nhi')"
}

@test "dig" {
	printf 'www.test 192.0.2.7 2001:db8::7\n' >"$T/counts.names"
	arms dns udp "udp://server.test:$PORT" "
		for server in $UP4 $UP6 server.test; do
			dig @\$server -p $PORT +short www.test A www.test AAAA
		done
		for server in $NO4 $NO6; do
			dig @\$server -p $PORT +short +tries=1 +time=3 www.test A 2>&1 | sed 's/.*failed: //' | head -1
		done" \
		"$(for i in 1 2 3; do printf '192.0.2.7\n2001:db8::7\n'; done
		printf 'connection refused.\nconnection refused.')" \
		"$(for i in 1 2 3; do printf '192.0.2.7\n2001:db8::7\n'; done; printf '192.0.2.7\n192.0.2.7')"
}

@test "names through a server that a rule allows: dig, Go, node" {
	printf 'www.test 192.0.2.7 2001:db8::7\n' >"$T/counts.names"
	arms dns udp "udp://server.test:$PORT" "
		goclient 'name/$UP4:$PORT/www.test' 'name/[$UP6]:$PORT/www.test' 'name/$NO4:$PORT/www.test' 'name/[$NO6]:$PORT/www.test'
		node -e \"
			const { Resolver } = require('dns').promises;
			(async () => {
				for (const at of ['$UP4', '[$UP6]', '$NO4', '[$NO6]']) {
					const r = new Resolver({ timeout: 1000, tries: 1 });
					r.setServers([at + ':$PORT']);
					await r.resolve4('www.test').then((a) => console.log(a[0]), (e) => console.log(e.code));
				}
			})();\"" \
		"$(printf '192.0.2.7 2001:db8::7\n192.0.2.7 2001:db8::7\nECONNREFUSED\nECONNREFUSED\n192.0.2.7\n192.0.2.7\nECONNREFUSED\nECONNREFUSED')" \
		"$(for i in 1 2 3 4; do echo '192.0.2.7 2001:db8::7'; done; for i in 1 2 3 4; do echo 192.0.2.7; done)"
}

@test "redis-cli" {
	far redis-server --bind $UP4 $UP6 $NO4 $NO6 --port $PORT --protected-mode no --save "" --dir "$T" >"$T/redis.log" 3>&- &
	SERVER=$!
	eventually 5 far redis-cli -h $UP4 -p $PORT ping
	script="for host in $UP4 $UP6 server.test $NO4 $NO6; do redis-cli -h \$host -p $PORT incr \$host 2>&1 | sed 's/.*: //'; done"
	debian_in "tcp://server.test:$PORT" "$script" "$JOIN"
	ok
	out_is "$(printf '1\n1\n1\nConnection refused\nConnection refused')"
	debian_in "tcp://server.test:$PORT; $NO4:$PORT; [$NO6]:$PORT" "$script" "$JOIN"
	ok
	out_is "$(printf '2\n2\n2\n1\n1')"
}

@test "psql" {
	arms psql tcp "tcp://server.test:$PORT" "
		for host in $UP4 $UP6 server.test $NO4 $NO6; do
			/usr/lib/postgresql/*/bin/psql -h \$host -p $PORT -U u -w -A -t -c 'SELECT 1' d 2>&1 |
				sed -n 's/.*failed: //p; /^hello/p'
		done" \
		"$(printf 'hello\nhello\nhello\nConnection refused\nConnection refused')" \
		"$(printf 'hello\nhello\nhello\nhello\nhello')"
}

@test "ping, where the namespace lets groups have ping sockets" {
	script="for host in $UP4 $UP6 server.test $NO4 $NO6; do
			ping -c1 -W2 \$host 2>&1 | sed -n 's/.* \\([01]\\) received.*/\\1/p; s/^ping: //p'
		done"
	# To choose its source, ping connects a UDP socket to port 1025, where it sends nothing.
	debian_in "icmp://server.test; udp://server.test:1025" "$script" "$JOIN"
	ok
	out_is "$(printf '1\n1\n1\nconnect: Connection refused\nconnect: Connection refused')"
	debian_in "icmp://server.test; icmp://$NO4; icmp://[$NO6]; udp://*:1025" "$script" "$JOIN"
	ok
	out_is "$(printf '1\n1\n1\n1\n1')"
}

@test "a thousand connects at the same time to a server behind a link" {
	LIMIT=60
	serve_far ""
	debian_in "tcp://$UP4:$PORT" "/mnt/netprobe many $UP4 $PORT 1000; /mnt/netprobe rate $NO4 $PORT 200" \
		"$JOIN | .mounts += [{destination: \"/mnt\", type: \"bind\", source: \"$HELPERS\", options: [\"rbind\", \"ro\"]}]"
	ok
	is "$(head -1 "$T/out")" "ok 1000 of 1000"
	is "$(field "$(cat "$T/out")" failed)" 200
	is "$(count "$UP4:$PORT" tcp) $(count "$NO4:$PORT" tcp)" "1000 0"
}

@test "a name that is pointed elsewhere after create" {
	printf 'server.test %s\n' $UP4 >"$T/counts.names"
	serve_far dns
	new_id
	debian_bundle "$T/$ID" "tcp://server.test:$PORT; udp://$UP4:$PORT" "
		getent ahosts server.test | awk '{ print \$1 }' | sort -u
		nc -w3 server.test $PORT </dev/null
		there=\$(dig @$UP4 -p $PORT +short server.test)
		echo \$there
		nc -v -w3 \$there $PORT </dev/null 2>&1 | sed 's/.*failed: //'" "$JOIN"
	create "$ID" "$T/$ID"
	ok
	names "$NO4 server.test"
	printf 'server.test %s\n' $NO4 >"$T/counts.names"
	rt start "$ID"
	wait_state "$ID" stopped
	is "$(cat "$T/$ID.out")" "$(printf '%s\n%s\nhi\n%s\nConnection refused' $UP4 $UP6 $NO4)"
	is "$(count $NO4:$PORT tcp)" 0
	rt delete --force "$ID"
	# The control arm: what is created now is pinned to the new address.
	debian_in "tcp://server.test:$PORT" "nc -w3 server.test $PORT </dev/null" "$JOIN"
	out_is hi
	is "$(count $NO4:$PORT tcp)" 1
}

@test "echoes whose address is flipped reach nobody else" {
	cp "$HELPERS/netprobe" "$T/netprobe"
	local script="/mnt/netprobe swapping $UP4 $NO4 2"
	local programs=".mounts += [{destination: \"/mnt\", type: \"bind\", source: \"$T\", options: [\"rbind\", \"ro\"]}]"
	debian_in "icmp://$UP4; icmp://$NO4" "$script" "$JOIN | $programs"
	ok
	[ "$(field "$(cat "$T/out")" other)" -gt 0 ]
	debian_in "icmp://$UP4" "$script" "$JOIN | $programs"
	ok
	cat "$T/out"
	[ "$(field "$(cat "$T/out")" good)" -gt 100 ]
	[ "$(field "$(cat "$T/out")" refused)" -gt 100 ]
	is "$(field "$(cat "$T/out")" other)" 0
}
