#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# HTTP without TLS: an allowed request arrives at the server, any other is answered by the proxy.
load lib

@test "an allowed request arrives, others are 403 and are not seen by the server" {
	http_serve 127.0.0.2:$PORT
	http_in "GET 127.0.0.2/public/*; POST 127.0.0.2/api" "
		$(status http://127.0.0.2:$PORT/public/a)
		$(status http://127.0.0.2:$PORT/private)
		$(status -X DELETE http://127.0.0.2:$PORT/public/a)
		$(status -d x=1 http://127.0.0.2:$PORT/api)
		$(status http://127.0.0.2:$PORT//public/../private)
		$(status --path-as-is http://127.0.0.2:$PORT/public/%2e%2e/private)
		curl -s -i http://127.0.0.2:$PORT/private | tr -d '\r' | grep -i -e sandlock -e policy"
	ok
	is "$(head -6 "$T/out")" "$(printf '200\n403\n403\n200\n403\n403')"
	has "$T/out" "Sandlock-Refused: "
	is "$(seen)" "$(printf 'GET /public/a - -\nPOST /api - -')"
}

@test "a port that is not intercepted stays closed, and the workload's own server is reached by rules only" {
	http_serve 127.0.0.2:$PORT 127.0.0.2:$((PORT + 1))
	http_in "GET 127.0.0.2/*" "
		$(status http://127.0.0.2:$PORT/)
		$(status http://127.0.0.2:$((PORT + 1))/) || echo closed
		$(status http://127.0.0.3:$PORT/) || echo closed"
	out_is "$(printf '200\n000\nclosed\n000\nclosed')"
}

@test "a Host that is not the destination is 421" {
	http_serve 127.0.0.2:$PORT
	http_in "GET 127.0.0.2/*; GET 127.0.0.3/*" "$(status -H Host:127.0.0.3:$PORT http://127.0.0.2:$PORT/)"
	out_is 421
	is "$(seen)" ""
}
