#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every way to send something, to every spelling of an address: what the listeners have
# counted decides. The same program without a container is the control arm.
load lib

ONE=127.0.0.1
BAD=127.0.0.3

# words: prints the lines of the output as one line.
words() {
	paste -sd' ' "${1:-$T/out}"
}

# listen ADDRESS...: starts a server on each.
listen() {
	serve "${@/%/:$PORT}"
}

again() {
	kill "$SERVER"
	wait "$SERVER" || true
	listen "$@"
}

spellings() {
	local a
	for a in "$@"; do
		echo "netattack paths $a $PORT;"
	done
}

OPEN="connect ok nonblocking ok fastopen-sendto EPERM fastopen-sendmsg EPERM fastopen-sendmmsg EPERM fastopen-connect ok stream-sendto EPIPE udp-connect ok udp-sendto ok udp-sendmsg ok udp-sendmmsg ok"
CLOSED="connect ECONNREFUSED nonblocking ECONNREFUSED fastopen-sendto EPERM fastopen-sendmsg EPERM fastopen-sendmmsg EPERM fastopen-connect ECONNREFUSED stream-sendto EPIPE udp-connect ECONNREFUSED udp-sendto ECONNREFUSED udp-sendmsg ECONNREFUSED udp-sendmmsg ECONNREFUSED"

@test "127.0.0.1 is allowed and nothing beside it: every path, every spelling" {
	listen $ONE $BAD "[::1]"
	for a in $BAD ::1; do
		"$HELPERS/netattack" paths $a $PORT >"$T/control"
		if grep -v -e ' ok$' -e '^stream-sendto EPIPE$' "$T/control"; then false; fi
	done
	# Without a cookie TCP fast open returns before the listener has received anything.
	[ "$(count $BAD:$PORT tcp)" -ge 6 ]
	is "$(count $BAD:$PORT udp)" 4
	is "$(count "[::1]:$PORT" udp)" 4
	again $ONE $BAD "[::1]"
	net_in "$ONE:$PORT" "$(spellings $ONE ::ffff:$ONE 0.0.0.0 ::ffff:0.0.0.0)"
	is "$(words)" "$OPEN $OPEN $OPEN $OPEN"
	is "$(count $ONE:$PORT tcp)" 12
	is "$(count $ONE:$PORT udp)" 16
	net_in "$ONE:$PORT" "$(spellings $BAD ::ffff:$BAD ::1 ::)"
	is "$(words)" "$CLOSED $CLOSED $CLOSED $CLOSED"
	is "$(count $BAD:$PORT tcp) $(count $BAD:$PORT udp)" "0 0"
	is "$(count "[::1]:$PORT" tcp) $(count "[::1]:$PORT" udp)" "0 0"
	is "$(count $ONE:$PORT tcp) $(count $ONE:$PORT udp)" "12 16"
}

@test "::1 is allowed and nothing beside it: every path, every spelling" {
	listen $ONE 127.1.2.3 "[::1]"
	net_in "[::1]:$PORT" "$(spellings ::1 ::)"
	is "$(words)" "$OPEN $OPEN"
	net_in "[::1]:$PORT" "$(spellings $ONE ::ffff:$ONE 0.0.0.0 ::ffff:0.0.0.0 127.1.2.3 ::ffff:127.1.2.3)"
	is "$(words)" "$CLOSED $CLOSED $CLOSED $CLOSED $CLOSED $CLOSED"
	is "$(count "[::1]:$PORT" tcp) $(count "[::1]:$PORT" udp)" "6 8"
	is "$(count $ONE:$PORT tcp) $(count $ONE:$PORT udp)" "0 0"
	is "$(count 127.1.2.3:$PORT tcp) $(count 127.1.2.3:$PORT udp)" "0 0"
	"$HELPERS/netattack" paths 127.1.2.3 $PORT >"$T/control"
	is "$(count 127.1.2.3:$PORT udp)" 4
}

@test "an empty address means the address that was judged, not the one the socket is bound to" {
	listen $ONE $BAD "[::1]"
	"$HELPERS/netattack" zero $BAD $PORT >"$T/control"
	# As in the kernel: the IPv4 spellings mean the socket's own address, the others loopback.
	is "$(count $BAD:$PORT tcp) $(count $BAD:$PORT udp)" "2 5"
	again $ONE $BAD "[::1]"
	net_in "$ONE:$PORT; [::1]:$PORT" "netattack zero $BAD $PORT"
	cat "$T/out"
	is "$(count $BAD:$PORT tcp) $(count $BAD:$PORT udp)" "0 0"
	[ "$(count $ONE:$PORT tcp)" -ge 2 ]
	[ "$(count $ONE:$PORT udp)" -ge 4 ]
	# An IPv6 socket that is bound to an IPv4-mapped address takes :: for 127.0.0.1.
	again $ONE $BAD "[::1]"
	"$HELPERS/netattack" zero $BAD $PORT >"$T/control"
	[ "$(count $ONE:$PORT tcp)" -gt 0 ]
	again $ONE $BAD "[::1]"
	net_in "[::1]:$PORT" "netattack zero $BAD $PORT"
	is "$(count $ONE:$PORT tcp) $(count $ONE:$PORT udp)" "0 0"
	is "$(count $BAD:$PORT tcp) $(count $BAD:$PORT udp)" "0 0"
}

@test "AF_UNSPEC and second connects of a UDP socket" {
	listen $ONE $BAD
	"$HELPERS/netattack" unspec $ONE $BAD $PORT >"$T/control"
	is "$(words "$T/control")" "connect ok send ok sendto-other ok sendto-unspec ok connect-other ok send-again ok dissolve ok send-nowhere EDESTADDRREQ unspec ok"
	is "$(count $BAD:$PORT udp)" 4
	again $ONE $BAD
	net_in "udp://$ONE:$PORT" "netattack unspec $ONE $BAD $PORT"
	# After the refused connect the first connection is unchanged.
	is "$(words)" "connect ok send ok sendto-other ECONNREFUSED sendto-unspec ECONNREFUSED connect-other ECONNREFUSED send-again ok dissolve ok send-nowhere EDESTADDRREQ unspec ECONNREFUSED"
	is "$(count $BAD:$PORT udp)" 0
	is "$(count $ONE:$PORT udp)" 2
}

@test "a socket that becomes a v4 one under the look" {
	LIMIT=60
	listen $ONE $BAD
	"$HELPERS/netattack" form $ONE $BAD $PORT 30000 >"$T/control"
	[ "$(count $BAD:$PORT udp)" -gt 0 ]
	again $ONE $BAD
	net_in "udp://$ONE:$PORT" "netattack form $ONE $BAD $PORT 4000"
	cat "$T/out"
	is "$(count $BAD:$PORT udp)" 0
}

@test "options and control data that choose the way of a packet" {
	listen $ONE $BAD "[::1]"
	"$HELPERS/netattack" steer $BAD ::1 $PORT >"$T/control"
	# Only the routing header of the packet itself is the kernel's own refusal.
	is "$(grep -v ' ok$' "$T/control")" "with-IPV6_RTHDR EINVAL"
	is "$(count $BAD:$PORT udp) $(count "[::1]:$PORT" udp)" "1 1"
	again $ONE $BAD "[::1]"
	options="SO_BINDTODEVICE EPERM SO_BINDTOIFINDEX EPERM IP_OPTIONS EPERM IP_UNICAST_IF EPERM IPV6_UNICAST_IF EPERM IPV6_RTHDR EPERM IPV6_2292RTHDR EPERM IPV6_PKTINFO EPERM IPV6_FLOWLABEL_MGR EPERM"
	net_in "udp://$ONE:$PORT" "netattack steer $BAD ::1 $PORT"
	is "$(words)" "$options with-IP_PKTINFO ECONNREFUSED with-IPV6_PKTINFO ECONNREFUSED with-IP_RETOPTS EPERM with-IPV6_RTHDR EPERM"
	is "$(count $BAD:$PORT udp) $(count "[::1]:$PORT" udp)" "0 0"
	# A server answers with them.
	net_in "udp://$ONE:$PORT; udp://[::1]:$PORT" "netattack steer $ONE ::1 $PORT"
	is "$(words)" "$options with-IP_PKTINFO ok with-IPV6_PKTINFO ok with-IP_RETOPTS EPERM with-IPV6_RTHDR EPERM"
	is "$(count $ONE:$PORT udp) $(count "[::1]:$PORT" udp)" "1 1"
}

@test "what no rule can be about is refused, and io_uring is not there, whatever is allowed" {
	"$HELPERS/netattack" families >"$T/control"
	for kind in raw raw6 packet packet-dgram mptcp io_uring; do
		has "$T/control" "$kind ok"
	done
	net_in "*; icmp://*" "netattack families"
	is "$(words)" "raw EPERM raw6 EPERM packet EAFNOSUPPORT packet-dgram EAFNOSUPPORT mptcp EPROTONOSUPPORT sctp EPROTONOSUPPORT sctp-many EPERM udplite EPERM dccp EPERM vsock EAFNOSUPPORT io_uring ENOSYS"
}
