#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# HTTP/1.1 as clients and servers use it: connections that are used again, bodies of every kind and
# size, interim and early answers, an upgrade.
load lib

# raw WORDS...: a line of script that sends the bytes of printf on one connection and prints what
# comes back.
raw() {
	echo "exec 3<>/dev/tcp/127.0.0.2/$PORT; printf '$1' >&3; timeout 5 cat <&3 | tr -d '\r'; exec 3>&-"
}

@test "keep-alive, one connection for several requests, a refusal between them" {
	http_serve 127.0.0.2:$PORT
	http_in "GET 127.0.0.2/a*" "
		curl -s -w '%{num_connects} %{http_code}\n' -o /dev/null -o /dev/null -o /dev/null \
			http://127.0.0.2:$PORT/a http://127.0.0.2:$PORT/no http://127.0.0.2:$PORT/a2"
	out_is "$(printf '1 200\n0 403\n0 200')"
	is "$(seen)" "$(printf 'GET /a - -\nGET /a2 - -')"
}

@test "requests that are sent ahead are answered in their order" {
	http_serve 127.0.0.2:$PORT
	local host="Host: 127.0.0.2:$PORT\r\n"
	http_in "GET 127.0.0.2/a*" "$(raw "GET /a1 HTTP/1.1\r\n$host\r\nGET /b HTTP/1.1\r\n$host\r\nGET /a2 HTTP/1.1\r\n${host}Connection: close\r\n\r\n")"
	is "$(grep -E '^(HTTP|hello)' "$T/out" | tr '\n' '|')" "HTTP/1.1 200 OK|hello /a1|HTTP/1.1 403 Forbidden|HTTP/1.1 200 OK|hello /a2|"
}

@test "bodies: chunked both ways, until the end, of none, HEAD, with 100-continue, 20 MB in and out" {
	http_serve 127.0.0.2:$PORT
	http_in "* 127.0.0.2/*" "
		u=http://127.0.0.2:$PORT
		curl -s \$u/chunks/3
		head -c 20000000 /dev/zero >/tmp/body
		curl -s -T /tmp/body \$u/in
		curl -s -H 'Transfer-Encoding: chunked' -T /tmp/body \$u/in
		curl -s \$u/big/20000000 | wc -c
		curl -s \$u/close
		curl -sI \$u/x | grep -c -i content-length
		curl -s --http1.0 \$u/chunks/2"
	ok
	out_is "$(printf 'piece\npiece\npiece\ngot 20000000\ngot 20000000\n20000000\nuntil the end\n1\npiece\npiece')"
}

@test "a body that is not read does not grow the proxy" {
	http_serve 127.0.0.2:$PORT
	http_started "GET 127.0.0.2/*" "
		exec 3<>/dev/tcp/127.0.0.2/$PORT; printf 'GET /big/100000000 HTTP/1.1\r\nHost: 127.0.0.2:$PORT\r\n\r\n' >&3
		read -r line <&3; echo \"\$line\"; sleep 60"
	eventually 5 grep -q 200 "$T/$ID.out"
	sleep 1
	[ "$(awk '/^RssAnon/ { print $2 }' "/proc/$(proxy_of "$ID")/status")" -lt 6144 ]
	rt delete --force "$ID"
	ok
}

@test "an answer before the body has come, and a client that ends its side" {
	http_serve 127.0.0.2:$PORT
	http_in "* 127.0.0.2/*" "
		head -c 20000000 /dev/zero >/tmp/body
		curl -s -H Expect: -T /tmp/body http://127.0.0.2:$PORT/early || true
		curl -s http://127.0.0.2:$PORT/slow/0.5"
	has "$T/out" early
	has "$T/out" slow
}

@test "WebSocket: after the verdict bytes go both ways; a refused upgrade stays HTTP" {
	http_serve 127.0.0.2:$PORT
	local up="Host: 127.0.0.2:$PORT\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n"
	http_in "GET 127.0.0.2/ws" "
		exec 3<>/dev/tcp/127.0.0.2/$PORT
		printf 'GET /ws HTTP/1.1\r\n$up' >&3
		while read -r line <&3 && [ \"\$line\" != \$'\r' ]; do echo \"\$line\"; done
		echo ping >&3; read -r line <&3; echo \"\$line\"; exec 3>&-
		$(raw "GET /other HTTP/1.1\r\nHost: 127.0.0.2:$PORT\r\nConnection: close\r\n\r\n")"
	has "$T/out" "101 Switching"
	has "$T/out" ping
	has "$T/out" 403
}

@test "what two programs may read differently is refused, and the server sees nothing of it" {
	http_serve 127.0.0.2:$PORT
	local host="Host: 127.0.0.2:$PORT\r\n" bad
	local -a all=(
		"POST /a HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
		"GET /a HTTP/1.1\n${host}\r\n"
		"GET /a HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n"
		"GET /a HTTP/1.1\r\n${host}${host}\r\n"
		"GET /a HTTP/1.1\r\nHost : 127.0.0.2:$PORT\r\n\r\n"
		"GET http://127.0.0.3:$PORT/a HTTP/1.1\r\n${host}\r\n"
		"CONNECT 127.0.0.2:$PORT HTTP/1.1\r\n${host}\r\n"
	)
	http_in "* 127.0.0.2/*" "$(for bad in "${all[@]}"; do raw "$bad" | sed 's/| tr/| head -1 | tr/'; done)"
	is "$(grep -cE '^HTTP/1.1 4' "$T/out")" ${#all[@]}
	is "$(seen)" ""
}

@test "half-close: a client that has sent its request and the end of its side is answered" {
	http_serve 127.0.0.2:$PORT
	http_in "* 127.0.0.2/*" "python3 -c '
import socket
for body in b\"\", b\"body\":
    s = socket.create_connection((\"127.0.0.2\", $PORT))
    s.sendall(b\"POST /slow/0.3 HTTP/1.1\\r\\nHost: 127.0.0.2:$PORT\\r\\nContent-Length: %d\\r\\n\\r\\n\" % len(body) + body)
    s.shutdown(socket.SHUT_WR)
    got = b\"\"
    while data := s.recv(65536):
        got += data
    print(got.split(b\"\\r\\n\")[0].decode(), got.split(b\"\\n\")[-2].decode())
'"
	ok
	out_is "$(printf 'HTTP/1.1 200 OK slow\nHTTP/1.1 200 OK slow')"
}

@test "Expect: 100-continue: the server's word comes before the body, and a refusal instead of it" {
	http_serve 127.0.0.2:$PORT
	http_in "POST 127.0.0.2/a*" "python3 -c '
import socket
for path in \"/a\", \"/no\":
    s = socket.create_connection((\"127.0.0.2\", $PORT))
    s.settimeout(5)
    s.sendall(b\"POST %s HTTP/1.1\\r\\nHost: 127.0.0.2:$PORT\\r\\nExpect: 100-continue\\r\\nConnection: close\\r\\nContent-Length: 4\\r\\n\\r\\n\" % path.encode())
    f = s.makefile(\"rb\")
    print(f.readline().decode().strip())
    if path == \"/a\":
        f.readline()
        s.sendall(b\"body\")
        print(f.readline().decode().strip(), f.read().split(b\"\\n\")[-2].decode())
'"
	ok
	out_is "$(printf 'HTTP/1.1 100 Continue\nHTTP/1.1 200 OK got 4\nHTTP/1.1 403 Forbidden')"
	is "$(seen)" "POST /a - -"
}
