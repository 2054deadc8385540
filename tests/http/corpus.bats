#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The cases of cases.def through a real socket and the proxy, in front of servers that others wrote:
# each is answered as it says, and no server serves what is denied. What a server has logged is the
# verdict; without the proxy each serves denied resources. Client and server have a network stack
# each, so that the addresses and names are those of the cases.
load lib

load stacks

setup() {
	harness_setup
	ours || skip "another network"
	NAMES="example.com other.example" stacks
	"$BATS_TEST_DIRNAME/corpus.py" cases "$BATS_TEST_DIRNAME/cases.def" >"$T/cases.json"
}

teardown() {
	stacks_end
	harness_teardown
}

apache_conf() {
	cat <<END
ServerName served
ServerRoot $T
Listen 192.0.2.1:80
PidFile $T/apache.pid
ErrorLog $T/apache.err
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
HttpProtocolOptions Unsafe LenientMethods Allow0.9
AllowEncodedSlashes On
LogFormat "%{Host}i %m %U" uri
CustomLog $T/served uri
DocumentRoot $T
RedirectMatch 404 .*
END
}

# HAProxy passes paths on as they came. Logged is what all of its normalizers make of them, with
# their escapes decoded, as the other servers read them.
haproxy_conf() {
	cat <<END
global
	expose-experimental-directives
	log stdout format raw local0
	log-tag served
defaults
	mode http
	timeout client 5s
	timeout server 5s
	timeout connect 5s
	option accept-invalid-http-request
frontend all
	bind 192.0.2.1:80
	log global
	log-format "%[var(txn.host)] %[var(txn.method)] %[var(txn.path)]"
	http-request set-var(txn.host) req.hdr(host)
	http-request set-var(txn.method) method
	http-request normalize-uri percent-decode-unreserved
	http-request normalize-uri path-merge-slashes
	http-request normalize-uri path-strip-dot
	http-request normalize-uri path-strip-dotdot full
	http-request set-var(txn.path) path,url_dec,regsub('[[:cntrl:]]','?',g)
	http-request return status 200 content-type text/plain string "served\n"
END
}

# through: the cases from a container with the rules of cases.def; $T/answers.
through() {
	debian_bundle "$T/d" unused "python3 /corpus/corpus.py send /corpus-in/cases.json 192.0.2.1" '
		del(.annotations["io.sandlock.network.allow"]) |
		.annotations["io.sandlock.http.allow"] = "* example.com/*; GET 192.0.2.1/only*; * other.example/pub/*" |
		.annotations["io.sandlock.http.deny"] = "* example.com/admin/*; * example.com/secret; DELETE example.com/*" |
		.mounts += [{destination: "/corpus", type: "bind", source: env.HERE, options: ["bind", "ro"]},
			{destination: "/corpus-in", type: "bind", source: env.T, options: ["bind", "ro"]}]'
	run_bundle "$T/d"
	ok
	cp "$T/out" "$T/answers"
}

# judged NAME: answers and log are as the rules say; without the proxy denied resources are served.
judged() {
	export T HERE=$BATS_TEST_DIRNAME
	through
	"$BATS_TEST_DIRNAME/corpus.py" denied "$T/served" >"$T/denied"
	is "$(cat "$T/denied")" ""
	[ "$(wc -l <"$T/served")" -ge 50 ]
	"$BATS_TEST_DIRNAME/corpus.py" compare "$T/cases.json" "$T/answers" >"$T/differs"
	is "$(cat "$T/differs")" ""
	: >"$T/served"
	nsenter --net="/proc/$NEAR/ns/net" "$BATS_TEST_DIRNAME/corpus.py" send "$T/cases.json" 192.0.2.1 >/dev/null
	"$BATS_TEST_DIRNAME/corpus.py" denied "$T/served" >"$T/denied"
	[ "$(wc -l <"$T/denied")" -ge 30 ]
}

@test "nginx serves nothing that is denied" {
	nginx_far 'server { listen 192.0.2.1:80; location / { return 200 "served\n"; } }'
	judged
}

@test "Apache at its most lenient serves nothing that is denied" {
	apache_conf >"$T/apache.conf"
	serve_far apache2 -X -f "$T/apache.conf"
	judged
}

@test "HAProxy at its most lenient serves nothing that is denied" {
	haproxy_conf >"$T/haproxy.conf"
	# It does not keep O_APPEND, and the log is emptied while it runs.
	serve_far bash -c 'exec haproxy -db -f "$1" > >(exec cat >>"$2")' - "$T/haproxy.conf" "$T/served"
	judged
}

@test "Node.js at its most lenient serves nothing that is denied" {
	serve_far node "$BATS_TEST_DIRNAME/upstream.js" 192.0.2.1 "$T/served"
	judged
}
