#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The limits of the node policy for heads and for connections on which nothing happens (those of HTTP/2:
# floods.bats; the number of connections: proxy.bats).
load lib

@test "headBytes and headFields: 431, also over HTTP/2; what is within them passes" {
	http_node '{"http": {"headBytes": 1024, "headFields": 8}}'
	http_serve 127.0.0.2:$PORT
	mkdir "$T/www"
	echo x >"$T/www/a"
	nghttpd --no-tls -d "$T/www" -a 127.0.0.2 $((PORT + 1)) >"$T/h2.log" 2>&1 3>&- &
	SERVERS+=($!)
	eventually 5 curl -s -o /dev/null --http2-prior-knowledge "http://127.0.0.2:$((PORT + 1))/a"
	http_in "GET 127.0.0.2/*" "
		long=\$(head -c 900 /dev/zero | tr '\0' x)
		many=\$(for i in 1 2 3 4 5 6 7 8; do echo \"-H F\$i:1\"; done)
		for u in http://127.0.0.2:$PORT/a '--http2-prior-knowledge http://127.0.0.2:$((PORT + 1))/a'; do
			$(status -A x -H 'X-Long:$long' '$u')
			$(status -A x -H 'X-Long:$long$long' '$u')
			$(status -A x '$many' '$u')
		done" ".annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\""
	out_is "$(printf '200\n431\n431\n200\n431\n431')"
}

@test "handshakeMs and idleMs: half of a TLS handshake, a connection without a byte and one after an answer end" {
	pki
	http_node "{\"http\": {\"handshakeMs\": 500, \"idleMs\": 2000, \"caBundle\": \"$T/ca.pem\"}}"
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	http_serve 127.0.0.2:$((PORT + 1))
	# The handshake gets a byte now and then, so it is never idle.
	http_in "GET localhost/*; GET 127.0.0.2/*" "
		dribble() { printf '\x16\x03\x01\x02\x00\x01\x00\x01\xfc'; while sleep 0.3; do printf '\0'; done; }
		exec 3<>/dev/tcp/127.0.0.1/$PORT; dribble >&3 2>/dev/null & timeout 10 cat <&3 >/dev/null && echo handshake
		exec 4<>/dev/tcp/127.0.0.2/$((PORT + 1)); timeout 10 cat <&4 && echo silent
		exec 5<>/dev/tcp/127.0.0.2/$((PORT + 1)); printf 'GET /a HTTP/1.1\r\nHost: 127.0.0.2:$((PORT + 1))\r\n\r\n' >&5
		timeout 10 cat <&5 | grep -a hello && echo kept; kill %1
		$(status https://localhost:$PORT/slow/0.2)" \
		"$CERTS | .annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\" | .annotations[\"io.sandlock.network.allow\"] = \"tcp://127.0.0.1;tcp://127.0.0.2\""
	out_is "$(printf 'handshake\nsilent\nhello /a\nkept\n200')"
}
