#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A network namespace that the bundle names by a path, or asks to be made, is joined, made, replaced by
# the host's stack with a line in the log, or refused; it is never ignored silently. The test makes the
# namespace, which has only lo with one more address.
load lib

setup() {
	harness_setup
	ours || skip "another network"
	unshare --net sh -c 'ip link set lo up; ip addr add 10.9.9.2/32 dev lo; echo "0 2147483647" >/proc/sys/net/ipv4/ping_group_range; echo up; exec sleep 60' >"$T/ns" 3>&- &
	NS=$!
	eventually 5 grep -q up "$T/ns"
	JOIN="(.linux.namespaces[] | select(.type == \"network\")) += {path: \"/proc/$NS/ns/net\"}"
	node_policy '{"network": {"namespace": "join", "localRules": "allow"}}'
}

# word VALUE [UNNAMED]: the node policy has these values of namespace and unnamedNamespace.
word() {
	node_policy "{\"network\": {\"namespace\": \"$1\", \"unnamedNamespace\": \"${2:-auto}\", \"localRules\": \"allow\"}}"
	RT_GLOBALS+=(--log "$T/log")
	rm -f "$T/log"
}

stack() {
	readlink "/proc/${1:-self}/ns/net"
}

@test "the node says host: not joined, and said in the log" {
	word host
	sh_in 'readlink /proc/self/ns/net' "$JOIN"
	out_is "$(stack)"
	has "$T/log" "the network namespace /proc/$NS/ns/net is not joined"
	has "$T/log" "network.namespace = host"
}

@test "the node says refuse: create names the option and leaves nothing" {
	word refuse
	bundle "$T/b" "$JOIN"
	new_id
	rt create --bundle "$T/b" "$ID"
	fails "network namespace /proc/$NS/ns/net is refused by the node policy (network.namespace = refuse; auto joins it)"
}

@test "auto, host and refuse: the host's own namespace by a path is the host's stack" {
	for w in auto host refuse; do
		word $w
		sh_in 'readlink /proc/self/ns/net; ls /sys/class/net | sort | xargs' '(.linux.namespaces[] | select(.type == "network")) += {path: "/proc/self/ns/net"}'
		out_is "$(printf '%s\n%s' "$(stack)" "$(ls /sys/class/net | sort | xargs)")"
		[ ! -s "$T/log" ]
	done
}

@test "the host's by a path: its ports are shared, so the supervisor binds" {
	word auto
	"$HELPERS/sockets" tcp4 reuseport "bind 127.0.0.1 $PORT" listen "sleep 20000" >"$T/holder" 3>&- &
	SERVER=$!
	eventually 5 grep -q 'listen ok' "$T/holder"
	mkdir -p "$T/b"
	cp -a "$(busybox_root)" "$T/b/rootfs"
	cp "$HELPERS/sockets" "$T/b/rootfs/bin/"
	sh_in "sockets tcp4 reuseport 'bind 127.0.0.1 $PORT'" '(.linux.namespaces[] | select(.type == "network")) += {path: "/proc/self/ns/net"}'
	out_is 'bind EADDRINUSE'
	# The control: the kernel itself lets a second process of the user bind the port.
	run "$HELPERS/sockets" tcp4 reuseport "bind 127.0.0.1 $PORT"
	[ "$output" = 'bind ok' ]
}

@test "no network namespace in the bundle: the host's interfaces are seen" {
	word auto
	sh_in 'ls /sys/class/net | sort | xargs; grep -c : /proc/net/dev; ip -o link | wc -l' 'del(.linux.namespaces[] | select(.type == "network"))'
	out_is "$(printf '%s\n%s\n%s' "$(ls /sys/class/net | sort | xargs)" "$(grep -c : /proc/net/dev)" "$(ip -o link | wc -l)")"
	# The control arm: a container that asked for another namespace is shown lo.
	sh_in 'ls /sys/class/net'
	out_is lo
}

@test "a new namespace that nobody fills: the host's stack, and a line in the log" {
	word auto
	sh_in 'readlink /proc/self/ns/net'
	out_is "$(stack)"
	has "$T/log" "no new network namespace is made"
	has "$T/log" network.unnamedNamespace
	word auto refuse
	bundle "$T/b"
	new_id
	rt create --bundle "$T/b" "$ID"
	fails "network.unnamedNamespace = refuse; auto or host accept it"
}

@test "a new namespace with hooks: made with lo up, given by the tracked pid, filled from outside" {
	word auto
	for kind in prestart createRuntime createContainer; do
		created 'ip addr show eth9 | grep -o "10.9.8.7"; ip link show lo | grep -o LOOPBACK,UP; readlink /proc/self/ns/net; ls /sys/class/net | sort | xargs' \
			".hooks = {$kind: [{path: \"/bin/sh\", args: [\"sh\", \"-c\", \"sed 's/.*\\\"pid\\\": *\\\\([0-9]*\\\\).*/\\\\1/' >$T/hookpid; readlink /proc/\$(cat $T/hookpid)/ns/net >$T/hookns; readlink /proc/self/ns/net >$T/hookself\"], env: [\"PATH=/usr/bin:/bin\"]}]}"
		local pid made
		pid=$(cat "$T/$ID.pid")
		made=$(stack "$pid")
		[ "$made" != "$(stack)" ]
		is "$(cat "$T/hookpid")" "$pid"
		is "$(cat "$T/hookns")" "$made"
		if [ $kind = createContainer ]; then is "$(cat "$T/hookself")" "$made"; else is "$(cat "$T/hookself")" "$(stack)"; fi
		nsenter --net="/proc/$pid/ns/net" sh -c 'ip link add eth9 type ifb 2>/dev/null || ip link add eth9 type dummy; ip addr add 10.9.8.7/24 dev eth9; ip link set eth9 up'
		rt start "$ID"
		ok
		eventually 5 grep -q eth9 "$T/$ID.out"
		is "$(sed -n 1,3p "$T/$ID.out")" "$(printf '10.9.8.7\nLOOPBACK,UP\n%s' "$made")"
		has "$T/$ID.out" "eth9 lo"
		rt delete --force "$ID"
		ok
		[ ! -s "$T/log" ]
	done
}

@test "a new namespace with hooks that is not to be made is refused, without running one" {
	for w in "host auto" "refuse auto" "auto host"; do
		word $w
		bundle "$T/b" ".hooks = {prestart: [{path: \"/bin/touch\", args: [\"touch\", \"$T/ran\"]}]}"
		new_id
		rt create --bundle "$T/b" "$ID"
		fails "hooks that may fill it"
		has "$T/err" "network.unnamedNamespace = auto makes one"
		[ ! -e "$T/ran" ]
	done
}

@test "the tracked process and what it forks are in the joined namespace, so others can join by its pid" {
	started 'exec sleep 20' "$JOIN"
	local pid first=$ID
	pid=$(cat "$T/$ID.pid")
	is "$(stack "$pid")" "$(stack "$NS")"
	is "$(stack "$(init_of "$first")")" "$(stack "$NS")"
	sh_in 'readlink /proc/self/ns/net' "(.linux.namespaces[] | select(.type == \"network\")) += {path: \"/proc/$pid/ns/net\"}"
	out_is "$(stack "$NS")"
	rt delete --force "$first"
}

@test "net sysctls are set on a stack of its own, and on no other; one that it does not have is refused" {
	local before sys='.linux.sysctl = {"net.ipv4.ip_unprivileged_port_start": "81", "net.ipv4.ip_default_ttl": "77"}'
	before=$(cat /proc/sys/net/ipv4/ip_default_ttl)
	sh_in 'cat /proc/sys/net/ipv4/ip_default_ttl; probe listen 127.0.0.1 80; probe listen 127.0.0.1 81' "$JOIN | $sys | .process.user = {uid: 1000, gid: 1000}"
	out_is "$(printf '77\nEACCES\nok')"
	is "$(nsenter --net="/proc/$NS/ns/net" cat /proc/sys/net/ipv4/ip_default_ttl)" 77
	# The path of the host's namespace: the sysctl is shown, and not set.
	sh_in 'cat /proc/sys/net/ipv4/ip_default_ttl' "(.linux.namespaces[] | select(.type == \"network\")) += {path: \"/proc/self/ns/net\"} | $sys"
	out_is 77
	is "$(cat /proc/sys/net/ipv4/ip_default_ttl)" "$before"
	bundle "$T/b" "$JOIN | .linux.sysctl[\"net.ipv4.no_such_setting\"] = \"1\""
	new_id
	rt create --bundle "$T/b" "$ID"
	fails 'linux.sysctl: net.ipv4.no_such_setting: write "1": No such file or directory'
}

@test "another namespace at the path than was judged is no longer there: create fails" {
	bundle "$T/b" '(.linux.namespaces[] | select(.type == "network")) += {path: "/proc/2147483646/ns/net"}'
	new_id
	rt create --bundle "$T/b" "$ID"
	fails "there is no such file"
}

@test "what another container of the stack has bound on loopback is reached, whatever pod it names" {
	started "exec nc -ll -p $PORT -e echo neighbour" "$JOIN | .annotations[\"io.kubernetes.cri.sandbox-id\"] = \"one\""
	local one=$ID
	eventually 5 nsenter --net="/proc/$NS/ns/net" grep -q ":$(printf %04X "$PORT") " /proc/net/tcp /proc/net/tcp6
	net_in "10.99.0.1" "nc 127.0.0.1 $PORT; nc 10.9.9.2 $PORT" "$JOIN | .annotations[\"io.kubernetes.cri.sandbox-id\"] = \"two\""
	out_is "$(printf 'neighbour\nneighbour')"
	rt delete --force "$one"
}

@test "an own listener on all addresses opens no address of the node, also one that is new" {
	# The node of this test: a namespace that a veth pair connects to the other one.
	ip link add "vn$$" type veth peer name up9 netns "$NS"
	ip addr add 10.9.7.1/24 dev "vn$$"
	ip link set "vn$$" up
	nsenter --net="/proc/$NS/ns/net" sh -c 'ip addr add 10.9.7.2/24 dev up9; ip link set up9 up; ip route add default via 10.9.7.1'
	"$BATS_TEST_DIRNAME/server.py" "$T/counts" "10.9.7.1:$PORT" >"$T/server.log" 2>&1 3>&- &
	SERVER=$!
	eventually 5 test -s "$T/counts"
	# The control arm: a process on that stack reaches it.
	is "$(nsenter --net="/proc/$NS/ns/net" "$HELPERS/probe" tcp 10.9.7.1 "$PORT")" ok
	is "$(count "10.9.7.1:$PORT" tcp)" 1
	mkfifo "$T/go"
	net_in "*" "(nc -ll -p $PORT -e true &); sleep 0.3; probe tcp 10.9.7.1 $PORT; cat /go; probe tcp 10.9.6.1 22" "$JOIN | .mounts += [{destination: \"/go\", type: \"bind\", source: \"$T/go\", options: [\"bind\"]}]" &
	local run=$!
	sleep 1
	ip addr add 10.9.6.1/24 dev "vn$$"
	echo >"$T/go"
	wait $run
	ip link del "vn$$"
	is "$(grep -c ECONNREFUSED "$T/out")" 2
	is "$(count "10.9.7.1:$PORT" tcp)" 1
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

@test "a server of the namespace is reached, v4, UDP and ping, and not against a rule" {
	nsenter --net="/proc/$NS/ns/net" "$BATS_TEST_DIRNAME/server.py" "$T/counts" 10.9.9.2:$PORT >"$T/server.log" 2>&1 3>&- &
	SERVER=$!
	eventually 5 test -s "$T/counts"
	net_in "10.9.9.2:$PORT; icmp://10.9.9.2" "probe tcp 10.9.9.2 $PORT; probe udp 10.9.9.2 $PORT; netprobe ping 10.9.9.2" "$JOIN"
	out_is "$(printf 'ok\nok\nok 16')"
	net_in "10.9.9.0/24" "probe tcp 10.9.9.2 $PORT; probe udp 10.9.9.2 $PORT; netprobe ping 10.9.9.2" "$JOIN | del(.annotations[\"io.sandlock.network.allow\"]) | .annotations[\"io.sandlock.network.deny\"] = \"tcp://10.9.9.2; udp://10.9.9.2; icmp://10.9.9.2\""
	out_is "$(printf 'ECONNREFUSED\nECONNREFUSED\nECONNREFUSED -1')"
	is "$(count 10.9.9.2:$PORT tcp)" 1
	is "$(count 10.9.9.2:$PORT udp)" 1
}
