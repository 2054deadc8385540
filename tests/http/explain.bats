#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `policy explain` says of each HTTP rule what enforces it, and refuses what create refuses.
load lib

# rows: the table, with single spaces.
rows() {
	sed -n '/^HTTP /,/^$/p' "$T/out" | tr -s ' ' | sed 's/ $//'
}

explain() {
	http_bundle "$T/d" "$1" true "${2:-.}"
	rt policy explain --bundle "$T/d"
}

@test "each rule, what opens the network, what is attached and what the authority is" {
	ours || skip "another policy"
	http_node '{"http": {"credentials": [{"name": "k", "source": "file:/etc/hostname", "hosts": ["127.0.0.2"], "ids": ["*"]}]}}'
	explain "POST 127.0.0.2/v1/*; get 127.0.0.2//a/../b" '.annotations += {
		"io.sandlock.http.deny": "* */admin/*", "io.sandlock.config.http_inject_ca": "/etc/ca.pem",
		"io.sandlock.config.credential": "k", "io.sandlock.http.auth": "POST 127.0.0.2/v1/* apikey:X-Key k"}'
	ok
	is "$(rows)" "HTTP RUNG HOW
ports $PORT supervisor connect: the connection goes to the proxy
deny * */admin/* proxy 403
allow POST 127.0.0.2/v1/* proxy each request
allow GET 127.0.0.2/b proxy each request
deny every other request proxy 403
attach POST 127.0.0.2/v1/* header:X-Key k proxy after it is allowed
ca ephemeral proxy signs for the host that TLS is asked for
show /etc/ca.pem mount with the CA added"
	tr -s ' ' <"$T/out" | grep -q "^allow tcp://127.0.0.2:$PORT supervisor"
}

@test "what is malformed, and what the node does not give, is refused by its name" {
	ours || skip "another policy"
	explain "GET example.com:80/a"
	is "$rc" 1
	has "$T/err" 'annotation io.sandlock.http.allow: "GET example.com:80/a" is malformed'
	has "$T/err" 'http.ports says which ports are meant'
	explain "GET 127.0.0.2/*" '.annotations["io.sandlock.config.credential"] = "k" |
		.annotations["io.sandlock.http.auth"] = "GET 127.0.0.2/* bearer k"'
	is "$rc" 1
	has "$T/err" 'the node policy gives this container no credential of that name'
	explain "GET 127.0.0.2/*" '.annotations["io.sandlock.config.http_ca"] = "/etc/shadow" |
		.annotations["io.sandlock.config.http_key"] = "/etc/shadow"'
	is "$rc" 1
	has "$T/err" 'is outside the bundle'
}
