#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Real clients (images/clients) through the proxy to nginx, without TLS and with it: what a rule
# allows arrives, what none does is a 403 that each of them understands, and nginx has seen nothing
# of it. Without rules the same requests get everything: the control arm.
load lib
load stacks
IMAGE=clients # curl, wget, git, pip, npm, Go and others

setup() {
	harness_setup
	ours || skip "another network"
	NAMES=server.example stacks
	pki
	sign far DNS:server.example 30
	site
	nginx_far "server {
		listen 192.0.2.1:80; listen 192.0.2.1:443 ssl http2;
		ssl_certificate $T/far.pem; ssl_certificate_key $T/srv.key;
		root $T/www; default_type application/json;
	}"
	http_node "$(jq -n --arg ca "$T/ca.pem" '{"http": {"caBundle": $ca}}')"
	export T HERE=$BATS_TEST_DIRNAME
}

teardown() {
	stacks_end
	harness_teardown
}

# site: $T/www/pub with a file, a repository, an index of pip's and a registry of npm's; the same in
# $T/www/private.
site() {
	local pub=$T/www/pub
	mkdir -p "$pub/simple/hello" "$pub/npm/@scope" "$T/package"
	echo served >"$pub/file.txt"
	git -c init.defaultBranch=main init -q "$T/repository"
	echo cloned >"$T/repository/file.txt"
	git -C "$T/repository" add file.txt
	git -C "$T/repository" -c user.name=t -c user.email=t@t commit -q -m t
	git clone -q --bare "$T/repository" "$pub/repo.git"
	git -C "$pub/repo.git" update-server-info
	python3 - "$pub/simple/hello" <<'END'
import sys, zipfile
name = "hello-1.0-py3-none-any.whl"
info = "hello-1.0.dist-info/"
with zipfile.ZipFile(f"{sys.argv[1]}/{name}", "w") as z:
    z.writestr("hello.py", "text = 'wheel'\n")
    z.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: hello\nVersion: 1.0\n")
    z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr(info + "RECORD", "")
open(f"{sys.argv[1]}/index.html", "w").write(f'<a href="{name}">{name}</a>')
END
	echo '{"name": "@scope/hello", "version": "1.0.0", "main": "i.js"}' >"$T/package/package.json"
	echo 'module.exports = "module"' >"$T/package/i.js"
	tar -C "$T" -czf "$pub/npm/hello.tgz" package
	cp -r "$pub" "$T/www/private"
}

# registry SCHEME: npm is told where the archive is.
registry() {
	local at
	for at in pub private; do
		jq -n --arg url "$1://server.example/$at/npm/hello.tgz" '{name: "@scope/hello", "dist-tags": {latest: "1.0.0"},
			versions: {"1.0.0": {name: "@scope/hello", version: "1.0.0", dist: {tarball: $url}}}}' >"$T/www/$at/npm/@scope/hello"
	done
}

# tour SCHEME JQ: programs/tour.bash in a container.
tour() {
	registry "$1"
	debian_bundle "$T/d" unused "bash /programs/tour.bash $1" "
		del(.annotations[\"io.sandlock.network.allow\"]) |
		.mounts += [{destination: \"/programs\", type: \"bind\", source: (env.HERE + \"/programs\"), options: [\"bind\", \"ro\"]}] |
		.annotations += $2"
	LIMIT=120 run_bundle "$T/d"
	ok
}

RULES='{"io.sandlock.http.allow": "GET server.example/pub/*",
	"io.sandlock.config.http_inject_ca": "/etc/ssl/certs/ca-certificates.crt", "io.sandlock.config.http_ca_env": "true"}'

@test "without TLS: what is allowed arrives, the rest is 403" {
	tour http "$RULES"
	is "$(cat "$T/out")" "$(cat "$BATS_TEST_DIRNAME/programs/http.txt")"
	is "$(grep -c private "$T/served")" 0
}

@test "with TLS, by the authority that is made for the container" {
	tour https "$RULES"
	is "$(cat "$T/out")" "$(cat "$BATS_TEST_DIRNAME/programs/https.txt")"
	is "$(grep -c private "$T/served")" 0
}

@test "with TLS, by an authority that is given" {
	mkdir "$T/d"
	own_ca "$T/d"
	tour https "$RULES + "'{"io.sandlock.config.http_ca": "own.pem", "io.sandlock.config.http_key": "own.key"}'
	is "$(cat "$T/out")" "$(cat "$BATS_TEST_DIRNAME/programs/https.txt")"
	is "$(grep -c private "$T/served")" 0
}

@test "control: without HTTP rules each program gets both" {
	tour http '{"io.sandlock.network.allow": "tcp://server.example:80"}'
	! grep -q 403 "$T/out"
	[ "$(grep -c private "$T/served")" -ge 15 ]
}
