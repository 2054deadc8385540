#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One method, one path and a key that the agent cannot read: a Python client that trusts the injected
# bundle asks a stand-in for a model's API, whose certificate is of an authority of its own. The key is
# in the environment of the runtime.
load lib
load stacks
IMAGE=clients # Node, Python with requests, aiohttp and grpcio

HOST=api.openai.example

setup() {
	harness_setup
	ours || skip "another network"
	NAMES=$HOST stacks
	pki
	sign far DNS:$HOST 30
	touch "$T/seen"
	env -u SANDLOCK_TEST_MARK nsenter --net="/proc/$FAR/ns/net" "$BATS_TEST_DIRNAME/server.py" "$T/seen" \
		"$T/far.pem" "$T/srv.key" 192.0.2.1:443 >"$T/server.log" 2>&1 3>&- &
	FAR_SERVERS=$!
	eventually 10 grep -q ready "$T/seen"
	http_node "$(jq -n --arg ca "$T/ca.pem" '{"http": {"caBundle": $ca, "credentials": [
		{"name": "openai", "source": "env:OPENAI_API_KEY", "hosts": ["'$HOST'"], "ids": ["*"]}]}}')"
	export HERE=$BATS_TEST_DIRNAME
}

teardown() {
	unset OPENAI_API_KEY
	stacks_end
	harness_teardown
}

agent() {
	debian_bundle "$T/d" unused "python3 -W ignore /programs/agent.py $HOST" "
		del(.annotations[\"io.sandlock.network.allow\"]) |
		.mounts += [{destination: \"/programs\", type: \"bind\", source: (env.HERE + \"/programs\"), options: [\"bind\", \"ro\"]}] |
		.process.env += [\"OPENAI_API_KEY=placeholder\"] | .annotations += $1"
	run_bundle "$T/d"
	ok
}

@test "the call that is allowed carries the key, nothing else gets out, and the agent never has it" {
	export OPENAI_API_KEY=sk-$RANDOM$RANDOM$RANDOM
	agent '{"io.sandlock.http.allow": "POST '$HOST'/v1/chat/completions", "io.sandlock.http.deny": "* */admin/*",
		"io.sandlock.config.http_inject_ca": "/etc/ssl/certs/ca-certificates.crt",
		"io.sandlock.config.credential": "openai", "io.sandlock.http.auth": "POST '$HOST'/v1/* bearer openai"}'
	is "$(cut -d' ' -f1-3 "$T/out")" "$(printf '%s\n' 'key none' 'chat 200 got' 'own key 200' 'other path 403' \
		'other method 403' 'admin 403 deny' 'other name 421' 'other host 403' 'cleartext 403 credential')"
	is "$(seen)" "$(for i in 1 2; do echo "POST /v1/chat/completions Bearer $OPENAI_API_KEY -"; done)"
	! grep -qF "$OPENAI_API_KEY" "$T/out" "$T/err"
}

@test "a pod's annotations as they are written: no key, the host's own network rules beside them" {
	agent '{"io.sandlock.network.allow": "'$HOST':443;10.0.0.0/8:5432", "io.sandlock.http.allow": "POST '$HOST'/v1/*",
		"io.sandlock.config.http_inject_ca": "/etc/ssl/certs/ca-certificates.crt"}'
	is "$(cut -d' ' -f1-3 "$T/out" | head -5)" "$(printf '%s\n' 'key placeholder' 'chat 200 got' 'own key 200' \
		'other path 200' 'other method 403')"
	is "$(seen | head -2)" "$(printf 'POST /v1/chat/completions %s -\n' - 'Bearer mine')"
}

@test "control: without HTTP rules the agent reaches what it likes" {
	agent '{"io.sandlock.network.allow": "tcp://'$HOST':443"}'
	# It does not trust the server, whose authority is the test's; but what it asks for arrives.
	is "$(cut -d' ' -f1-3 "$T/out" | grep '^other host')" "other host 200"
}
