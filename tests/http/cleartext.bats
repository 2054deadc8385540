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

@test "a deny rule holds at the addresses of its host, whatever Host says" {
	local to='.annotations["io.sandlock.network.allow"] = "tcp://127.0.0.1;tcp://127.0.0.2"'
	http_serve 127.0.0.1:$PORT 127.0.0.2:$PORT
	http_in "* */*" "
		$(status http://localhost:$PORT/admin/a)
		$(status http://127.0.0.1:$PORT/admin/b)
		$(status -H Host:other.test:$PORT http://127.0.0.1:$PORT/admin/c)
		$(status --http2-prior-knowledge http://127.0.0.1:$PORT/admin/d)
		$(status http://127.0.0.1:$PORT/public)
		$(status -H Host:other.test:$PORT http://127.0.0.2:$PORT/admin/elsewhere)" \
		"$to | .annotations[\"io.sandlock.http.deny\"] = \"* localhost/admin/*\""
	out_is "$(printf '403\n403\n403\n403\n200\n200')"
	is "$(seen)" "$(printf 'GET /public - -\nGET /admin/elsewhere - -')"
	: >"$T/seen"
	http_in "* */*" "
		$(status http://127.0.0.2:$PORT/admin/a)
		$(status -H Host:other.test:$PORT http://127.0.0.2:$PORT/admin/b)
		$(status -H Host:other.test:$PORT http://127.0.0.2:$PORT/public)
		$(status -H Host:other.test:$PORT http://127.0.0.1:$PORT/admin/elsewhere)" \
		"$to | .annotations[\"io.sandlock.http.deny\"] = \"* 127.0.0.2/admin/*\""
	out_is "$(printf '403\n403\n200\n200')"
	is "$(seen)" "$(printf 'GET /public - -\nGET /admin/elsewhere - -')"
}

@test "a request that waits in the queue of the workload's own listener does not reach who listens there next" {
	http_started "" "python3 -c '
import socket, time
here = (\"127.0.0.1\", $PORT)
own = socket.socket()
own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
own.bind(here)
own.listen(0)
for i in range(4):
    globals()[\"s%d\" % i] = s = socket.create_connection(here)
    s.sendall(b\"GET /%d HTTP/1.1\\r\\nHost: 127.0.0.1:$PORT\\r\\n\\r\\n\" % i)
    time.sleep(0.2)
own.close()
print(\"closed\", flush=True)
time.sleep(20)'" 'del(.annotations["io.sandlock.http.allow"]) | .annotations["io.sandlock.http.deny"] = "* */private"'
	eventually 10 has "$T/$ID.out" closed
	http_serve 127.0.0.1:$PORT
	sleep 4 # a SYN is sent again after one second, and after three
	is "$(seen)" ""
	curl -s -o /dev/null "http://127.0.0.1:$PORT/control"
	is "$(seen)" "GET /control - -"
}

@test "the server sees the address that the client has bound its socket to; one that leads nowhere is a 502" {
	http_serve 127.0.0.2:$PORT
	http_serve "[::1]:$((PORT + 1))"
	local peer="
		curl -s http://127.0.0.2:$PORT/peer
		curl -s --interface 127.0.0.9 http://127.0.0.2:$PORT/peer
		curl -s --interface 127.0.0.9 --local-port $((PORT + 10))-$((PORT + 19)) http://127.0.0.2:$PORT/peer
		curl -s --interface ::1 'http://[::1]:$((PORT + 1))/peer'"
	http_in "GET 127.0.0.2/*; GET [::1]/*; GET 192.0.2.1/*" "$peer
		curl -s --interface 127.0.0.9 http://192.0.2.1:$PORT/" \
		".annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\""
	ok
	is "$(head -4 "$T/out")" "$(printf '127.0.0.1\n127.0.0.9\n127.0.0.9\n::1')"
	has "$T/out" "Invalid argument"
	# control: without HTTP rules
	debian_in "tcp://127.0.0.2;tcp://[::1]" "$peer"
	is "$(cat "$T/out")" "$(printf '127.0.0.1\n127.0.0.9\n127.0.0.9\n::1')"
}
