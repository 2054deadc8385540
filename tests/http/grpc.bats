#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# gRPC through the proxy, with and without TLS: one message for one, and a stream both ways whose
# messages wait for each other. A service that no rule allows is PERMISSION_DENIED, which is what
# clients make of a 403; the server has not heard of it.
load lib
load stacks
IMAGE=clients # Node, Python with requests, aiohttp and grpcio

setup() {
	harness_setup
	ours || skip "another network"
	NAMES=server.example stacks
	pki
	sign far DNS:server.example 30
	env -u SANDLOCK_TEST_MARK nsenter --net="/proc/$FAR/ns/net" "$BATS_TEST_DIRNAME/programs/echo_server.py" \
		"$T/calls" "$T/far.pem" "$T/srv.key" 192.0.2.1 >"$T/server.log" 2>&1 3>&- &
	FAR_SERVERS=$!
	eventually 10 grep -q ready "$T/calls"
	http_node "$(jq -n --arg ca "$T/ca.pem" '{"http": {"caBundle": $ca}}')"
}

teardown() {
	stacks_end
	harness_teardown
}

# client ANNOTATIONS: echo_client.py in a container.
client() {
	HERE=$BATS_TEST_DIRNAME debian_bundle "$T/d" unused "python3 /programs/echo_client.py server.example" "
		del(.annotations[\"io.sandlock.network.allow\"]) |
		.mounts += [{destination: \"/programs\", type: \"bind\", source: (env.HERE + \"/programs\"), options: [\"bind\", \"ro\"]}] |
		.annotations += $1"
	LIMIT=60 run_bundle "$T/d"
	ok
}

@test "calls and streams of a service pass, another service is PERMISSION_DENIED" {
	client '{"io.sandlock.http.allow": "POST server.example/test.Echo/*",
		"io.sandlock.config.http_inject_ca": "/etc/ssl/certs/ca-certificates.crt"}'
	is "$(cat "$T/out")" "$(for how in h2c tls; do
		printf "$how test.Echo %s\n" 'one a' 'many a, many b, many c'
		printf "$how test.Admin %s\n" PERMISSION_DENIED PERMISSION_DENIED
	done)"
	is "$(grep -c Admin "$T/calls")" 0
	is "$(grep -c Echo "$T/calls")" 4
}

@test "control: without HTTP rules both services answer" {
	client '{"io.sandlock.network.allow": "tcp://server.example:80"}'
	is "$(grep -c '^h2c.*a' "$T/out")" 4
	is "$(grep -c Admin "$T/calls")" 2
}
