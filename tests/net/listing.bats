#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Which sockets `ss` of Debian's iproute2 lists by sock_diag(7): on a stack of the container's own the
# sockets there, on the host's stack none. Sockets of others are never listed.
load lib

setup_file() {
	DEBIAN=$("$BATS_TEST_DIRNAME/../images/programs")
	export DEBIAN
}

setup() {
	harness_setup
	NODE_NS='(.linux.namespaces[] | select(.type == "network"))'
	"$HELPERS/sockets" tcp4 "bind 127.0.0.1 $PORT" listen "sleep 60000" >"$T/holder" 3>&- &
	SERVER=$!
	eventually 5 grep -q 'listen ok' "$T/holder"
}

# A script that lists sockets of all kinds, with a listener of its own.
LIST="ss -Hltn; ss -Hlun; ss -Hlx; ss -Hwan; ss -Htan; ss -Huan"

@test "control: without a sandbox, and with runc on the host's stack, the host's are listed" {
	ss -Hltn | grep -q "127.0.0.1:$PORT "
	RUNTIME=runc debian_in 'tcp://192.0.2.7:80' "$LIST" "del($NODE_NS)"
	ok
	has "$T/out" "127.0.0.1:$PORT "
}

@test "on the host's stack nothing is listed, whoever asked for it" {
	ours || skip "another network"
	for stack in . "del($NODE_NS)" "$NODE_NS += {path: \"/proc/self/ns/net\"}"; do
		for rules in 'tcp://192.0.2.7:80' 'udp://192.0.2.7:53; tcp://192.0.2.7:80'; do
			debian_in "$rules" "$LIST" "$stack"
			ok
			out_is ''
			is "$(cat "$T/err")" ''
		done
	done
}

@test "what a container has bound on the host's stack is not listed either, and does not fail" {
	ours || skip "another network"
	debian_in 'tcp://192.0.2.7:80' "python3 -c '
import socket, subprocess
s = socket.create_server((\"127.0.0.1\", $((PORT + 1))))
print(subprocess.run([\"ss\", \"-Hltn\"], capture_output=True, text=True))'"
	ok
	has "$T/out" "returncode=0, stdout='', stderr=''"
}

@test "the interfaces of who sees the host's are still seen after ss, and by what was open before" {
	ours || skip "another network"
	debian_in 'udp://192.0.2.7:53' "ip -o link | wc -l; ss -Hltn; ip -o link | wc -l" "del($NODE_NS)"
	ok
	out_is "$(printf '%s\n%s' "$(ip -o link | wc -l)" "$(ip -o link | wc -l)")"
}

# own JQ: ss lists the container's own listener and no socket of the host.
own() {
	debian_in 'tcp://192.0.2.7:80' "python3 -c '
import socket, subprocess
s = socket.create_server((\"127.0.0.1\", $((PORT + 1))))
print(subprocess.run([\"ss\", \"-Hltn\"], capture_output=True, text=True))'" "$1"
	ok
	has "$T/out" "stderr=''"
	has "$T/out" "127.0.0.1:$((PORT + 1)) "
	is "$(grep -cF "127.0.0.1:$PORT " "$T/out")" 0
}

@test "on a stack of its own a container's sockets are listed: joined, and as with runc" {
	unshare --net sh -c 'ip link set lo up; echo up; exec sleep 60' >"$T/ns" 3>&- &
	NS=$!
	eventually 5 grep -q up "$T/ns"
	own "$NODE_NS += {path: \"/proc/$NS/ns/net\"}"
	RUNTIME=runc own "$NODE_NS += {path: \"/proc/$NS/ns/net\"}"
}

@test "on a stack that was made for hooks, and as with runc" {
	local hook='.hooks = {createRuntime: [{path: "/bin/true", args: ["true"]}]}'
	own "$hook"
	RUNTIME=runc own "$hook"
}

@test "nothing is changed by such a socket: ss -K has no right to end connections" {
	ours || skip "another network"
	debian_in 'tcp://192.0.2.7:80' "ss -K dst 127.0.0.1; echo \$?; ss -Ktnl"
	ok
	[ -d "/proc/$SERVER" ]
	ss -Hltn | grep -q "127.0.0.1:$PORT "
}
