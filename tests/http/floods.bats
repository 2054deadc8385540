#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# HTTP/2 as no client should use it (floods.py): the proxy's memory stays bounded, the connection is
# closed in time, and another connection of the same container is served all the while.
load lib

LIMITS='{"http": {"handshakeMs": 1000, "http2Bytes": 1048576, "http2Resets": 500}}'

# servers: one that speaks HTTP/2 at $PORT, and one at the next port that allows one stream at a time
# (SETTINGS_MAX_CONCURRENT_STREAMS) and never reads.
servers() {
	mkdir "$T/www"
	head -c 3000000 /dev/zero >"$T/www/big"
	echo index >"$T/www/index.html"
	nghttpd --no-tls -d "$T/www" -a 127.0.0.2 $PORT >"$T/h2.log" 2>&1 3>&- &
	SERVERS+=($!)
	python3 -c 'import socket, sys, time
s = socket.create_server(("127.0.0.2", int(sys.argv[1])))
held = s.accept()[0]
held.sendall(b"\0\0\6\4\0\0\0\0\0" + b"\0\3\0\0\0\1")
time.sleep(600)' $((PORT + 1)) 3>&- &
	SERVERS+=($!)
	eventually 5 curl -s -o /dev/null --http2-prior-knowledge "http://127.0.0.2:$PORT/"
	eventually 5 ready_at $((PORT + 1))
}

ready_at() {
	ss -Hltn "src 127.0.0.2 and sport = :$1" | grep -q .
}

# flood ATTACKS [PORT]: a container in which the attacks run at the same time; a bystander makes a
# request each 0.2 s. Afterwards $ended has a line for each attack, and $grown by how many KiB the
# proxy was larger at most.
flood() {
	local proxy before n
	n=$(wc -w <<<"$1")
	http_node "${NODE:-$LIMITS}"
	http_started "GET 127.0.0.2/; GET 127.0.0.2/big" "
		(while :; do curl -s -o /dev/null --http2-prior-knowledge -w '%{http_code}\n' --max-time 10 http://127.0.0.2:$PORT/; sleep 0.2; done) >/tmp/by &
		sleep 0.5; echo ready; until [ -e /tmp/go/now ]; do sleep 0.1; done
		for a in $1; do python3 /tmp/go/floods.py 127.0.0.2 ${2:-$PORT} /tmp/go/end \$a & all=\"\$all \$!\"; done; wait \$all
		sort /tmp/by | uniq -c | sed 's/^ */by /'
		sleep 60" ".mounts += [{destination: \"/tmp/go\", type: \"bind\", source: (env.T + \"/go\"), options: [\"bind\", \"ro\"]}] |
		.annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\""
	eventually 10 grep -q ready "$T/$ID.out"
	proxy=$(proxy_of "$ID")
	before=$(peak "$proxy")
	touch "$T/go/now"
	eventually 40 have_ended "$n"
	grown=$(($(peak "$proxy") - before))
	touch "$T/go/end"
	eventually 10 grep -q ^by "$T/$ID.out"
	ended=$(grep -E ' (open|closed|GOAWAY|refused)' "$T/$ID.out" | sort)
	echo "$ended; grown by $grown KiB; $(grep ^by "$T/$ID.out" | tr '\n' ' ')"
	is "$(awk '/^by/ { print $3 }' "$T/$ID.out")" 200
}

have_ended() {
	[ "$(grep -cE ' (open|closed|GOAWAY)' "$T/$ID.out")" = "$1" ]
}

peak() {
	awk '/^VmHWM/ { print $2 }' "/proc/$1/status"
}

over() {
	rt delete --force "$ID"
	ok
}

setup() {
	harness_setup
	ours || skip "another network"
	SERVERS=()
	export T
	mkdir "$T/go"
	cp "$BATS_TEST_DIRNAME/floods.py" "$T/go/"
	servers
}

@test "streams that are given up: closed at http2Resets, and the reason is on record" {
	flood cancelled
	is "$ended" "cancelled GOAWAY 11" # ENHANCE_YOUR_CALM
	has "$ROOT/$ID/audit.log" "given up more streams than http2Resets"
	over
}

@test "requests that the server does not take: closed at http2Bytes" {
	flood large_heads $((PORT + 1))
	is "$ended" "large_heads GOAWAY 11"
	has "$ROOT/$ID/audit.log" "more memory than http2Bytes"
	[ "$grown" -lt 2048 ]
	over
}

@test "half of a preface, a frame, or a head: closed after handshakeMs, though bytes come" {
	flood "unfinished_preface unfinished_frame unfinished_head"
	is "$ended" "unfinished_frame closed
unfinished_head closed
unfinished_preface closed"
	over
}

@test "CONTINUATION, PING and SETTINGS without end, answers that are not read: closed" {
	flood "continuations pings settings unread_answers"
	is "$(grep -cE 'GOAWAY 11|closed' <<<"$ended")" 4
	[ "$grown" -lt 2048 ]
	over
}

@test "windows of one byte, and a hundred bodies: what waits is bounded by the windows of the proxy" {
	NODE='{}'
	flood tiny_windows
	is "$ended" "tiny_windows open"
	[ "$grown" -lt 4096 ]
	over
}

@test "more streams at a time than http2Streams are refused" {
	NODE='{"http": {"http2Streams": 10}}'
	flood kept_open
	is "$ended" "kept_open open
kept_open refused 90"
	over
}
