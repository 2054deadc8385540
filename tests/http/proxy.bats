#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The proxy as a process: who can reach it, what it may do, and what its end means.
load lib

@test "no rule: no proxy, and the program need not be there" {
	local dir=$T/alone
	mkdir "$dir"
	cp "$RUNTIME" "$dir/"
	RUNTIME=$dir/sandlock-oci
	bundle "$T/b" '.process.args = ["true"]'
	run_bundle "$T/b"
	ok
	http_bundle "$T/d" "GET 127.0.0.2/*" true
	run_bundle "$T/d"
	[ "$rc" -ne 0 ]
	has "$T/err" "HTTP rules need the program sandlock-proxy, which is neither in $dir nor in "
}

@test "it is confined: no capability, a filter, no new privileges, shut to ptrace, no descriptor of the container" {
	http_started "GET 127.0.0.2/*" "sleep 60"
	local p
	p=$(proxy_of "$ID")
	[ -n "$p" ]
	is "$(awk '/^Cap(Prm|Eff|Inh|Amb)/ { print $2 }' "/proc/$p/status" | sort -u)" 0000000000000000
	is "$(awk '/^NoNewPrivs|^Seccomp:/ { print $2 }' "/proc/$p/status" | tr '\n' ' ')" "1 2 "
	is "$(stat -c %u "/proc/$p/mem")" 0
	is "$(find "/proc/$p/fd" -lname '*seccomp*' -o -lname '*rootfs*' -o -lname '*/root/*' | wc -l)" 0
	is "$(readlink "/proc/$p/fd/0")" /dev/null
	has "/proc/$p/comm" "sandlock"
	rt delete --force "$ID"
	ok
}

@test "killing it closes the network, and says so; killing the supervisor ends it" {
	http_serve 127.0.0.2:$PORT
	http_started "GET 127.0.0.2/*" "while :; do curl -s -o /dev/null -w '%{http_code}\n' http://127.0.0.2:$PORT/; sleep 0.2; done"
	eventually 5 grep -qx 200 "$T/$ID.out"
	kill -9 "$(proxy_of "$ID")"
	eventually 5 grep -qx 000 "$T/$ID.out"
	local n
	n=$(seen | wc -l)
	sleep 0.6
	is "$(seen | wc -l)" "$n"
	has "$ROOT/$ID/audit.log" "the HTTP proxy has ended"
	rt state "$ID"
	has "$T/out" running
	rt delete --force "$ID"
	ok
	http_started "GET 127.0.0.2/*" "sleep 60"
	n=$(proxy_of "$ID")
	kill -9 "$(cat "$T/$ID.pid")"
	eventually 5 test ! -e "/proc/$n/exe"
	rt delete --force "$ID"
	ok
}

@test "nothing listens where others could connect, while connections are made and after" {
	http_serve 127.0.0.2:$PORT
	http_started "GET 127.0.0.2/*" "while :; do curl -s -o /dev/null http://127.0.0.2:$PORT/ && echo ok; done"
	eventually 5 grep -q ok "$T/$ID.out"
	local pid seen=0
	pid=$(cat "$T/$ID.pid")
	for _ in $(seq 20); do
		seen=$((seen + $(ss -Hltnp | grep -c -e "pid=$pid," -e "pid=$(proxy_of "$ID")," || true)))
	done
	# Caught in the act at most: a port lives for some ten microseconds, and is another each time.
	[ "$seen" -le 2 ]
	rt delete --force "$ID"
	ok
}

@test "a workload that has made the supervisor give its rights back is still served" {
	http_serve 127.0.0.2:$PORT
	http_in "GET 127.0.0.2/*" "echo >/dev/udp/127.0.0.2/9; $(status http://127.0.0.2:$PORT/)"
	is "$(tail -1 "$T/out")" 200
}

@test "refusals are on record with method, host and path, and without the query" {
	http_serve 127.0.0.2:$PORT
	http_started "GET 127.0.0.2/public" "curl -s -o /dev/null 'http://127.0.0.2:$PORT/secret/x?token=hidden'
		curl -s -o /dev/null -H Host:127.0.0.3:$PORT 'http://127.0.0.2:$PORT/other/y?token=hidden'
		curl -s -o /dev/null --path-as-is 'http://127.0.0.2:$PORT/ctl%01?token=hidden'; sleep 60"
	eventually 5 grep -q '"path":"/secret/x"' "$ROOT/$ID/audit.log"
	has "$ROOT/$ID/audit.log" '"method":"GET","host":"127.0.0.2"'
	# What is refused before a verdict: with as much as was understood.
	eventually 5 grep -q escaped-control "$ROOT/$ID/audit.log"
	is "$(jq -r 'select(.rule) | "\(.method) \(.host) \(.path) \(.rule)"' "$ROOT/$ID/audit.log" | tail -n 2)" \
		"GET 127.0.0.3 /other/y other-address
GET 127.0.0.2  escaped-control"
	if grep hidden "$ROOT/$ID/audit.log"; then false; fi
	rt delete --force "$ID"
	ok
}

@test "more connections than the node allows are refused, and the ones that are there go on" {
	http_node '{"http": {"connections": 4, "handshakeMs": 1000}}'
	http_serve 127.0.0.2:$PORT
	http_in "GET 127.0.0.2/*" "
		exec 3<>/dev/tcp/127.0.0.2/$PORT 4<>/dev/tcp/127.0.0.2/$PORT 5<>/dev/tcp/127.0.0.2/$PORT 6<>/dev/tcp/127.0.0.2/$PORT
		$(status http://127.0.0.2:$PORT/)
		printf 'GET / HTTP/1.1\r\nHost: 127.0.0.2:$PORT\r\n\r\n' >&3
		head -1 <&3
		exec 3>&- 4>&-
		sleep 0.3
		$(status http://127.0.0.2:$PORT/)
		printf 'GET / HT' >&5
		timeout 5 cat <&5 && echo closed" | tr -d '\r'
	is "$(tr -d '\r' <"$T/out")" "$(printf '000\nHTTP/1.1 200 OK\n200\nclosed')"
}

@test "UDP to an intercepted port is refused even where network.allow opens it" {
	http_in "GET 127.0.0.2/*" "echo x >/dev/udp/127.0.0.2/$PORT && echo sent" \
		".annotations[\"io.sandlock.network.allow\"] = \"udp://127.0.0.2\""
	if grep sent "$T/out"; then false; fi
}

@test "five hundred connections at once, with a soft limit of 256 open files" {
	http_node '{"http": {"connections": 512}}'
	http_serve 127.0.0.2:$PORT
	ulimit -Sn 256
	http_in "GET 127.0.0.2/*" "
		ulimit -Sn 1024
		for fd in \$(seq 10 509); do eval \"exec \$fd<>/dev/tcp/127.0.0.2/$PORT\" || echo refused; done
		for fd in \$(seq 10 509); do printf 'GET /a HTTP/1.1\r\nHost: 127.0.0.2:$PORT\r\nConnection: close\r\n\r\n' >&\$fd; done
		for fd in \$(seq 10 509); do head -1 <&\$fd; done | sort | uniq -c | tr -d '\r'"
	ok
	is "$(tr -s ' ' <"$T/out")" " 500 HTTP/1.1 200 OK"
}

# dies_at STAGE: kills the proxy of $ID, and looks at what is left of the network.
dies_at() {
	local n
	kill -9 "$(proxy_of "$ID")"
	eventually 5 grep -q "^$1 over" "$T/$ID.out"
	eventually 5 grep -qx 'next 000' "$T/$ID.out"
	n=$(seen | wc -l)
	eventually 5 grep -qx 'last 000' "$T/$ID.out"
	is "$(seen | wc -l)" "$n"
	has "$ROOT/$ID/audit.log" "the HTTP proxy has ended"
	rt state "$ID"
	is "$(jq -r .status "$T/out")" running
	rt delete --force "$ID"
	ok
}

# starting_proxy: the pid of this test's proxy, whose container has no pid file yet.
starting_proxy() {
	local pid
	for pid in $(marked); do
		grep -q 'sandlock:\[proxy' "/proc/$pid/cmdline" && echo "$pid" && return
	done
	return 1
}

NEXT="curl -s -o /dev/null -w 'next %{http_code}\n' http://127.0.0.2:\$PORT/; curl -s -o /dev/null -w 'last %{http_code}\n' http://127.0.0.2:\$PORT/; sleep 60"

@test "killed while it starts: create fails and names it, and nothing is left" {
	# The proxy waits for somebody who writes to what it takes for a list of roots.
	mkfifo "$T/roots"
	http_node "{\"http\": {\"caBundle\": \"$T/roots\"}}"
	mkdir -p "$T/certs"
	: >"$T/certs/bundle.crt"
	export T
	http_bundle "$T/d" "GET 127.0.0.2/*" true "$CERTS"
	new_id
	"$RUNTIME" --root "$ROOT" --config "$T/node.json" run --bundle "$T/d" "$ID" >"$T/run" 2>&1 3>&- &
	local client=$!
	eventually 5 starting_proxy
	kill -9 "$(starting_proxy)"
	local status=0
	wait "$client" || status=$?
	[ "$status" -ne 0 ]
	has "$T/run" "HTTP proxy: it has ended"
	is "$(ls "$ROOT")" ""
}

@test "killed in the middle of a TLS handshake: the client's connection ends, and the network is closed" {
	http_serve 127.0.0.2:$PORT
	mkdir -p "$T/certs"
	: >"$T/certs/bundle.crt"
	export T
	http_started "GET 127.0.0.2/*" "
		PORT=$PORT
		exec 3<>/dev/tcp/127.0.0.2/$PORT; printf '\\x16\\x03\\x01\\x02\\x00\\x01\\x00' >&3; echo begun
		cat <&3; echo handshake over; $NEXT" "$CERTS | .annotations[\"io.sandlock.network.allow\"] = \"tcp://127.0.0.2\""
	eventually 5 grep -q begun "$T/$ID.out"
	dies_at handshake
}

@test "killed in the middle of a body: the client's connection ends, and the network is closed" {
	http_serve 127.0.0.2:$PORT
	http_started "GET 127.0.0.2/*" "
		PORT=$PORT
		curl -s -N -o /tmp/body http://127.0.0.2:$PORT/half & pid=\$!
		until [ -s /tmp/body ]; do sleep 0.1; done; echo begun
		wait \$pid; echo body over \$?; $NEXT"
	eventually 10 grep -q begun "$T/$ID.out"
	dies_at body
	grep -qE 'body over (18|52|56)' "$T/$ID.out" # what curl says of a body that is not complete
}

@test "another container, the workload itself and a user of the machine cannot read, trace or end it" {
	local victim who all id
	http_serve 127.0.0.2:$PORT
	http_started "GET 127.0.0.2/*" "sleep 60"
	id=$ID
	victim=$(proxy_of "$id")
	mkdir "$T/go"
	cp "$BATS_TEST_DIRNAME/reach.py" "$T/go/"
	chmod 755 "$T" "$T/go"
	export T
	# In the container itself: by the pid of the machine, which a process may guess.
	rt exec "$ID" python3 -c "$(cat "$BATS_TEST_DIRNAME/reach.py")" "$victim" end
	cp "$T/out" "$T/itself"
	http_bundle "$T/other" "GET 127.0.0.2/*" "python3 /tmp/go/reach.py $victim end" \
		'.mounts += [{destination: "/tmp/go", type: "bind", source: (env.T + "/go"), options: ["bind", "ro"]}]'
	run_bundle "$T/other"
	cp "$T/out" "$T/another"
	setpriv --reuid 65534 --regid 65534 --clear-groups /usr/bin/python3 - "$victim" end <"$BATS_TEST_DIRNAME/reach.py" >"$T/user"
	for who in itself another user; do
		echo "$who: $(tr '\n' ',' <"$T/$who")"
		is "$(wc -l <"$T/$who")" 10
		is "$(grep -c ' ok$' "$T/$who")" 0
	done
	grep -q '^signal EPERM' "$T/user"
	is "$(proxy_of "$id")" "$victim"
	# control: root of the machine can
	all=$(/usr/bin/python3 "$BATS_TEST_DIRNAME/reach.py" "$victim")
	is "$(grep -c ' ok$' <<<"$all")" 9
	rt delete --force "$id"
	ok
}

@test "a waiting connect does not reach an intercepted port by an address that was changed" {
	mkdir "$T/go"
	cp "$BATS_TEST_DIRNAME/swap.py" "$T/go/"
	chmod 755 "$T" "$T/go"
	export T
	http_bundle "$T/d" "" "python3 /tmp/go/swap.py $PORT" 'del(.annotations["io.sandlock.http.allow"]) |
		.annotations["io.sandlock.http.deny"] = "* */private/*" |
		.mounts += [{destination: "/tmp/go", type: "bind", source: (env.T + "/go"), options: ["bind", "ro"]}]'
	run_bundle "$T/d"
	is "$rc" 0
	out_is "$(printf 'request 403\nwaits True\nconnect ECONNREFUSED')"
}
