#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# What network rules allow and deny, and which rules the node policy lets a bundle have.
load lib

@test "an address and port that are allowed connect, their neighbours are ECONNREFUSED" {
	serve 127.0.0.2:$PORT 127.0.0.3:$PORT 127.0.0.2:$((PORT + 1))
	net_in "tcp://127.0.0.2:$PORT" \
		"probe tcp 127.0.0.2 $PORT; probe tcp 127.0.0.3 $PORT; probe tcp 127.0.0.2 $((PORT + 1)); probe udp 127.0.0.2 $PORT"
	out_is "$(printf 'ok\nECONNREFUSED\nECONNREFUSED\nEPIPE')"
	is "$(count 127.0.0.2:$PORT tcp)" 1
	is "$(count 127.0.0.3:$PORT tcp)" 0
	is "$(count 127.0.0.2:$((PORT + 1)) tcp)" 0
}

@test "v6 literals and networks" {
	serve "[::1]:$PORT"
	net_in "tcp://[::1]:$PORT; tcp://127.8.0.0/16:$PORT" \
		"nc ::1 $PORT; probe tcp 127.8.1.1 $PORT; probe tcp 127.9.1.1 $PORT"
	has "$T/out" hi
	is "$(count "[::1]:$PORT" tcp)" 1
}

@test "a UDP rule is no TCP rule and the other way round" {
	serve 127.0.0.2:$PORT 127.0.0.3:$PORT
	net_in "udp://127.0.0.2:$PORT; tcp://127.0.0.3:$PORT" \
		"probe udp 127.0.0.2 $PORT; probe tcp 127.0.0.2 $PORT; probe udp 127.0.0.3 $PORT; probe tcp 127.0.0.3 $PORT"
	out_is "$(printf 'ok\nECONNREFUSED\nECONNREFUSED\nok')"
	is "$(count 127.0.0.2:$PORT udp)" 1
	is "$(count 127.0.0.3:$PORT udp)" 0
}

@test "wide rules do not open the node's loopback, its own addresses or link-local" {
	own=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
	serve 127.0.0.1:$PORT ${own:+$own:$PORT}
	net_in "*; 0.0.0.0/0; ::/0" \
		"probe tcp 127.0.0.1 $PORT; probe tcp 0.0.0.0 $PORT; ${own:+probe tcp $own $PORT;} probe tcp 169.254.169.254 80; nc -w1 ::1 $PORT || echo closed"
	if grep -w ok "$T/out"; then false; fi
	has "$T/out" closed
	is "$(count 127.0.0.1:$PORT tcp)" 0
	[ -z "$own" ] || is "$(count "$own:$PORT" tcp)" 0
}

@test "deny: everything else is allowed" {
	serve 127.0.0.2:$PORT
	bundle "$T/b" '.annotations = {"io.sandlock.network.deny": "tcp://192.0.2.0/24"} | .process.args = ["sh", "-c", "probe tcp 192.0.2.1 80; probe udp 127.0.0.2 9; true"]'
	run_bundle "$T/b"
	ok
	out_is "$(printf 'ECONNREFUSED\nECONNREFUSED')"
}

@test "allow and deny together: deny wins" {
	serve 127.0.0.2:$PORT 127.0.0.3:$PORT
	local both='.annotations["io.sandlock.network.deny"] = "127.0.0.3"'
	net_in "tcp://127.0.0.2:$PORT; tcp://127.0.0.3:$PORT" \
		"probe tcp 127.0.0.2 $PORT; probe tcp 127.0.0.3 $PORT; probe tcp 127.0.0.4 $PORT"
	out_is "$(printf 'ok\nok\nECONNREFUSED')"
	net_in "tcp://127.0.0.2:$PORT; tcp://127.0.0.3:$PORT" \
		"probe tcp 127.0.0.2 $PORT; probe tcp 127.0.0.3 $PORT; probe tcp 127.0.0.4 $PORT" "$both"
	out_is "$(printf 'ok\nECONNREFUSED\nECONNREFUSED')"
	is "$(count 127.0.0.3:$PORT tcp)" 1
}

@test "an IPv4 address that an IPv6 address carries is judged; a port of IPv6 stands behind brackets" {
	node_policy '{}'
	for target in 64:ff9b::a9fe:a9fe 64:ff9b:1::a9fe:a9fe 2002:a9fe:a9fe::1 ::169.254.169.254 \
		::ffff:0:169.254.169.254 ::ffff:169.254.169.254 2001:db8::5efe:a9fe:a9fe 2001:0:c000:201::5601:5601; do
		refused "{\"io.sandlock.network.allow\": \"tcp://[$target]:80\"}" "network.localRules = refuse"
	done
	refused '{"io.sandlock.network.deny": "2001:db8::1:443"}' \
		'it can be read as [2001:db8::1:443], every port, or as [2001:db8::1]:443'
}

@test "own client and server on 127.0.0.1 and ::1" {
	net_in "tcp://192.0.2.1:80" \
		"(nc -l -p $PORT -e echo four &); (nc -l -p $((PORT + 1)) -e echo six &); sleep 0.3; nc 127.0.0.1 $PORT; nc ::1 $((PORT + 1))"
	out_is "$(printf 'four\nsix')"
}

@test "a port on loopback that another pod has bound is closed; the own pod's is open" {
	local pod='.annotations["io.kubernetes.cri.sandbox-id"]'
	started "nc -l -p $PORT -e echo one; sleep 20" "$pod = \"pod-a\""
	eventually 5 grep -qi ":$(printf %04x "$PORT")" /proc/net/tcp /proc/net/tcp6
	local first=$ID
	net_in "tcp://192.0.2.1:80" "nc 127.0.0.1 $PORT || echo closed" "$pod = \"pod-b\""
	out_is closed
	net_in "tcp://192.0.2.1:80" "nc 127.0.0.1 $PORT || echo closed" "$pod = \"pod-a\""
	out_is one
	rt delete --force "$first"
}

@test "bind: only what is allowed, only what is not denied, by Landlock" {
	bundle "$T/b" ".annotations = {\"io.sandlock.network.allow_bind\": \"$PORT-$((PORT + 1))\"} | .process.args = [\"sh\", \"-c\", \"probe listen 127.0.0.1 $PORT; probe listen 127.0.0.1 $((PORT + 2)); probe listen 127.0.0.1 0\"]"
	run_bundle "$T/b"
	out_is "$(printf 'ok\nEACCES\nEACCES')"
	bundle "$T/b" ".annotations = {\"io.sandlock.network.deny_bind\": \"$PORT-$((PORT + 1))\"} | .process.args = [\"sh\", \"-c\", \"probe listen 127.0.0.1 $PORT; probe listen 127.0.0.1 $((PORT + 2)); probe listen 127.0.0.1 0\"]"
	run_bundle "$T/b"
	out_is "$(printf 'EACCES\nok\nok')"
}

@test "port rules left to Landlock trap nothing" {
	node_policy '{"network": {"portRules": "landlock"}}'
	serve 127.0.0.2:$PORT
	started "probe tcp 127.0.0.2 $PORT; probe tcp 127.0.0.2 $((PORT + 1)); sleep 20" \
		".annotations[\"io.sandlock.network.allow\"] = \"tcp://:$PORT\""
	eventually 5 grep -q EACCES "$T/$ID.out"
	is "$(cat "$T/$ID.out")" "$(printf 'ok\nEACCES')"
	rt events --stats "$ID"
	is "$(jq '.data.sandlock.notifications.connect' "$T/out")" null
	rt delete --force "$ID"
}

@test "a name is pinned, shown beside the bundle's own entries, and must resolve" {
	printf '10.1.2.3 entry-of-the-bundle\n' >"$T/hosts"
	net_in "tcp://localhost:80" "cat /etc/hosts" \
		".mounts += [{destination: \"/etc/hosts\", type: \"bind\", source: \"$T/hosts\", options: [\"rbind\", \"rw\"]}]"
	has "$T/out" entry-of-the-bundle
	grep -q '^127.0.0.1[[:space:]]localhost$' "$T/out"
	refused '{"io.sandlock.network.allow": "tcp://no-such-name.invalid:80"}' \
		'"no-such-name.invalid" does not resolve'
}

@test "a name that resolves to the node's own loopback opens nothing of the node" {
	serve 127.0.0.1:$PORT
	net_in "tcp://localhost:$PORT" "probe tcp 127.0.0.1 $PORT"
	out_is ECONNREFUSED
	is "$(count 127.0.0.1:$PORT tcp)" 0
}

@test "what contradicts itself or is not built is refused" {
	refused '{"io.sandlock.network.allow_bind": "1", "io.sandlock.network.deny_bind": "2"}' "exclude each other"
	refused '{"io.sandlock.network.allow": "tcp://10.0.0.1/8"}' "is malformed"
}

@test "the node: denied networks, ceiling, local rules and keys, each with its line" {
	node_policy '{"network": {
"deny": ["10.0.0.0/8"],
"ceiling": ["tcp://*:443"]}}'
	refused '{"io.sandlock.network.allow": "tcp://10.1.0.0/16:443"}' 'network.deny, line 2: "tcp://10.0.0.0/8"'
	refused '{"io.sandlock.network.allow": "tcp://*:80"}' 'network.ceiling, line 3'
	refused '{"io.sandlock.network.allow": "tcp://127.0.0.1:443"}' 'network.localRules = refuse'
	node_policy '{"annotations": {"allow": ["io.sandlock.rootfs.*"]}}'
	refused '{"io.sandlock.network.allow": "*"}' 'annotations.allow, line 1'
	node_policy '{"network": {"localRules": "allow", "deny": ["127.0.0.3"], "default": ["tcp://127.0.0.0/8"]}}'
	serve 127.0.0.2:$PORT 127.0.0.3:$PORT
	sh_in "probe tcp 127.0.0.2 $PORT; probe tcp 127.0.0.3 $PORT"
	out_is "$(printf 'ok\nECONNREFUSED')"
}

@test "policy explain says where each rule went" {
	bundle "$T/b" '.annotations = {"io.sandlock.network.allow": "192.0.2.1:53; tcp://localhost:443", "io.sandlock.network.allow_bind": "80"}'
	rt policy explain --bundle "$T/b"
	ok
	grep -E '^allow +tcp://192.0.2.1:53 +supervisor' "$T/out"
	grep -E '^allow +tcp://localhost:443 +supervisor' "$T/out"
	grep -E '^allow +loopback ports of its own pod +supervisor' "$T/out"
	grep -E '^bind +80 +supervisor' "$T/out"
	grep -E '^bind +abstract unix names +supervisor +EPERM' "$T/out"
	bundle "$T/b" '.annotations = {"io.sandlock.network.allow": "tcp://:443"}'
	node_policy '{"network": {"portRules": "landlock"}}'
	rt policy explain --bundle "$T/b"
	grep -E '^allow +tcp://\*:443 +landlock' "$T/out"
	grep -E '^deny +udp +seccomp' "$T/out"
	# Names are looked up as create does.
	refused '{"io.sandlock.network.allow": "tcp://name.invalid:443"}' '"name.invalid" does not resolve'
}

@test "a denial is one line of the audit log, counted, and far below 5 ms" {
	started "probe tcp 192.0.2.9 443; netstat >/dev/null 2>&1; sleep 20" \
		'.annotations = {"io.sandlock.network.allow": "tcp://192.0.2.1:53", "io.kubernetes.cri.sandbox-id": "pod-7"}'
	eventually 5 grep -q ECONNREFUSED "$T/$ID.out"
	jq -e --arg id "$ID" 'select(.id == $id and .pod == "pod-7" and .comm == "probe" and .syscall == "connect" and
		.destination == "tcp://192.0.2.9:443" and .rule == "default" and .pid > 0 and .time > 0)' "$ROOT/$ID/audit.log"
	rt events --stats "$ID"
	is "$(jq .data.sandlock.network_denials "$T/out")" 1
	is "$(jq .data.sandlock.network_connections "$T/out")" 1
	rt delete --force "$ID"
	net_in "tcp://192.0.2.1:53" "netprobe rate 192.0.2.9 443 200"
	# The median of 200, because other work of the machine can delay one of them.
	[ "$(field "$(cat "$T/out")" median | cut -d. -f1)" -lt 1000 ]
}

@test "denials by the thousand fill no disk" {
	started "while [ ! -e /go ]; do sleep 0.05; done; netprobe rate 192.0.2.9 443 5000; sleep 20" \
		'.annotations = {"io.sandlock.network.allow": "tcp://192.0.2.1:53"}'
	cp "$HELPERS/netprobe" "$T/$ID/rootfs/bin/netprobe"
	touch "$T/$ID/rootfs/go"
	eventually 15 grep -q median "$T/$ID.out"
	[ "$(wc -l <"$ROOT/$ID/audit.log")" -lt 400 ]
	rt events --stats "$ID"
	is "$(jq .data.sandlock.network_denials "$T/out")" 5000
	is "$(jq .data.sandlock.network_connections "$T/out")" 5000
	rt delete --force "$ID"
}
