#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The default network: no way out, listening allowed, the own loopback and sockets inside the
# container work.
load ../lib/harness

setup() {
	harness_setup
	ours || skip "another network"
}

@test "TCP connect is EACCES, to a live listener of the host" {
	"$HELPERS/probe" listen 127.0.0.1 47111 3000 >"$T/listener" 3>&- &
	eventually 5 grep -q ok "$T/listener"
	# The control arm: without a container the same program connects.
	is "$("$HELPERS/probe" tcp 127.0.0.1 47111)" ok
	"$HELPERS/probe" listen 127.0.0.1 47112 1500 >"$T/listener2" 3>&- &
	eventually 5 grep -q ok "$T/listener2"
	sh_in 'probe tcp 127.0.0.1 47112; probe tcp 192.0.2.1 80'
	out_is "$(printf 'EACCES\nEACCES')"
	eventually 5 grep -q nobody "$T/listener2"
}

@test "UDP sockets carry nothing" {
	sh_in 'probe udp 127.0.0.1 53'
	out_is EPIPE
}

@test "raw, packet and other families are refused" {
	# inet raw, packet, netlink audit, alg, vsock, bluetooth
	sh_in 'for s in "2 3 1" "10 3 58" "17 3 768" "16 3 9" "38 5 0" "40 1 0" "31 3 1"; do probe socket $s; done | sort | uniq -c | tr -s " "'
	if grep -w ok "$T/out"; then false; fi
	is "$(awk '{ n += $1 } END { print n }' "$T/out")" 7
}

@test "bind and listen are allowed" {
	sh_in 'probe listen 127.0.0.1 47113; probe listen 0.0.0.0 0'
	out_is "$(printf 'ok\nok')"
}

@test "client and server on loopback in one container, without any rule" {
	sh_in 'probe listen 127.0.0.1 47116 3000 >/tmp/l & until grep -q ok /tmp/l; do sleep 0.05; done
		probe tcp 127.0.0.1 47116; probe tcp 127.0.0.1 47117; wait'
	out_is "$(printf 'ok\nECONNREFUSED')"
}

@test "unix sockets inside: a pair and a path; names of the host's stack are not for binding" {
	is "$("$HELPERS/probe" unix | tail -1)" ok
	sh_in 'probe unix'
	out_is "$(printf 'ok\nok\nEPERM')"
}

@test "unix sockets inside: a name that the kernel chooses can be bound" {
	sh_in 'probe autobind'
	out_is ok
}

@test "an abstract socket of the host is EPERM" {
	python3 -c '
import socket, time
s = socket.socket(socket.AF_UNIX)
s.bind("\0sandlock-host-name"); s.listen(1)
print("up", flush=True); time.sleep(20)' >"$T/up" 3>&- &
	local host=$!
	eventually 5 grep -q up "$T/up"
	is "$("$HELPERS/probe" abstract sandlock-host-name)" ok
	sh_in 'probe abstract sandlock-host-name'
	kill "$host"
	out_is EPERM
}

@test "a netlink route socket can list, and changes nothing" {
	sh_in 'ip link show lo | head -1 | grep -o "lo:"; ip link set lo down 2>/dev/null || echo refused'
	out_is "$(printf 'lo:\nrefused')"
}
