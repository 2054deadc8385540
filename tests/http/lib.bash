# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the bats files of the HTTP policy share. Servers listen on loopback addresses of this
# machine; a test passes by what a server has received.
load ../net/lib

# A file whose containers need more programs sets IMAGE.
setup_file() {
	DEBIAN=$("$BATS_TEST_DIRNAME/../images/${IMAGE:-debian}")
	export DEBIAN
}

setup() {
	harness_setup
	ours || skip "another network"
	SERVERS=()
	http_node '{}'
}

teardown() {
	[ ${#SERVERS[@]} -eq 0 ] || kill "${SERVERS[@]}" 2>/dev/null || true
	harness_teardown
}

# http_node JSON: the node policy; rules may open loopback addresses.
http_node() {
	jq -n --argjson more "$1" '{"network": {"localRules": "allow"}} * $more' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
}

# http_serve ARGS...: starts server.py, which writes the requests that it receives to $T/seen.
http_serve() {
	local before
	touch "$T/seen"
	before=$(grep -c ready "$T/seen" || true)
	"$BATS_TEST_DIRNAME/server.py" "$T/seen" "$@" >"$T/server.log" 2>&1 3>&- &
	SERVERS+=("$!")
	eventually 5 ready_since "$before"
}

ready_since() {
	[ "$(grep -c ready "$T/seen")" -gt "$1" ]
}

# http_in ALLOW SCRIPT [JQ]: runs a script in the Debian image under http.allow.
http_in() {
	http_bundle "$T/d" "$@"
	run_bundle "$T/d"
}

http_bundle() {
	debian_bundle "$1" unused "$3" "del(.annotations[\"io.sandlock.network.allow\"]) |
		.annotations[\"io.sandlock.http.allow\"] = \"$2\" |
		.annotations[\"io.sandlock.http.ports\"] = \"$PORT\" | ${4:-.}"
}

# CERTS: a jq expression that gives the container a certificate bundle into which the CA is
# injected, and the variables that name it; the image has none. Only a rule with the address of
# localhost opens it.
CERTS='.mounts += [{destination: "/tmp/certs", type: "bind", source: (env.T + "/certs"), options: ["bind", "ro"]}] |
	.annotations["io.sandlock.config.http_inject_ca"] = "/tmp/certs/bundle.crt" |
	.annotations["io.sandlock.config.http_ca_env"] = "true" | .annotations["io.sandlock.network.allow"] = "tcp://127.0.0.1"'

# http_started ALLOW SCRIPT [JQ]: starts a container $ID.
http_started() {
	new_id
	http_bundle "$T/$ID" "$@"
	create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
}

# seen: the requests that arrived.
seen() {
	[ ! -e "$T/seen" ] || grep -v ready "$T/seen" || true
}

# proxy_of ID: the pid of the container's proxy.
proxy_of() {
	pgrep -f -P "$(cat "$T/$1.pid")" 'sandlock:\[proxy\]'
}

# status ARGS...: prints a command that makes a request with curl and prints its status.
status() {
	echo "curl -s -o /dev/null -w '%{http_code}\n' --max-time 10 $*"
}

# pki: makes a CA and certificates: for localhost (valid, self-signed, expired), and for another host.
pki() {
	local key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
	openssl req -x509 "${key[@]}" -keyout "$T/ca.key" -out "$T/ca.pem" -subj /CN=test -days 30
	openssl req "${key[@]}" -keyout "$T/srv.key" -out "$T/srv.csr" -subj /CN=localhost
	openssl req -x509 "${key[@]}" -keyout "$T/self.key" -out "$T/self.pem" -subj /CN=localhost -days 30
	sign srv "DNS:localhost,IP:127.0.0.1,IP:127.0.0.2" 30
	sign other DNS:other.test 30
	sign old DNS:localhost -1
	mkdir -p "$T/certs"
	cat "$T/self.pem" "$T/other.pem" >"$T/certs/bundle.crt"
	cp "$T/self.pem" "$T/certs/one.pem"
	export T
} 2>"$T/pki.log"

sign() {
	openssl x509 -req -in "$T/srv.csr" -CA "$T/ca.pem" -CAkey "$T/ca.key" -CAcreateserial -days "$3" \
		-extfile <(echo "subjectAltName=$2") -out "$T/$1.pem"
}

# own_ca DIR: makes a CA for a bundle.
own_ca() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1/own.key" -out "$1/own.pem" \
		-subj "/CN=own authority" -days 30 2>>"$T/pki.log"
}

# holds PID TEXT: whether the text is in the memory of the process.
holds() {
	python3 - "$1" "$2" <<'END'
import sys
pid, text = sys.argv[1], sys.argv[2].encode()
mem = open(f"/proc/{pid}/mem", "rb")
for line in open(f"/proc/{pid}/maps"):
    words = line.split()
    if "r" not in words[1] or words[-1] in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
        continue
    begin, end = (int(x, 16) for x in words[0].split("-"))
    try:
        mem.seek(begin)
        if text in mem.read(end - begin):
            sys.exit(0)
    except (OSError, ValueError, OverflowError):
        pass
sys.exit(1)
END
}
