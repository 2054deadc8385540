#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Credentials that the workload never has: what the proxy attaches, and that nothing else has them.
load lib


setup() {
	harness_setup
	ours || skip "another network"
	SERVERS=()
	pki
	SECRET=s3cret$RANDOM$RANDOM
	mkdir "$T/keys"
	echo "$SECRET" >"$T/keys/api"
}

# credential SOURCE [CLEARTEXT]
credential() {
	http_node "{\"http\": {\"caBundle\": \"$T/ca.pem\", \"credentials\": [
		{\"name\": \"api\", \"source\": \"$1\", \"hosts\": [\"localhost\", \"127.0.0.1\"], \"ids\": [\"*\"], \"cleartext\": ${2:-false}}]}}"
}

auth() {
	echo ".annotations[\"io.sandlock.http.auth\"] = \"$1\""
}

@test "bearer, basic, header and query: attached to what is allowed and matches, and to nothing else" {
	credential "file:$T/keys/api"
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	http_in "* localhost/*" "
		for p in bearer basic header query other; do curl -s -o /dev/null https://localhost:$PORT/\$p; done
		curl -s -o /dev/null -H 'Authorization: mine' https://localhost:$PORT/bearer
		curl -s -o /dev/null 'https://localhost:$PORT/query?a=1&k=mine'" "$CERTS | .annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/bearer bearer api; * localhost/basic basic:me api; * localhost/header header:X-Key api; * localhost/query query:k api")"
	ok
	is "$(seen)" "GET /bearer Bearer $SECRET -
GET /basic Basic $(printf 'me:%s' "$SECRET" | base64 -w0) -
GET /header - $SECRET
GET /query?k=$SECRET - -
GET /other - -
GET /bearer Bearer $SECRET -
GET /query?a=1&k=$SECRET - -"
}

@test "a denied request, cleartext and a server that is not believed do not get it" {
	credential "file:$T/keys/api"
	http_serve "$T/self.pem" "$T/self.key" 127.0.0.1:$PORT
	http_serve 127.0.0.1:$((PORT + 1))
	http_in "GET localhost/*" "
		$(status https://localhost:$PORT/a)
		$(status -X POST https://localhost:$PORT/a)
		curl -s -w '%{http_code}\n' http://localhost:$((PORT + 1))/a" "$CERTS | .annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* bearer api") |
		.annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\""
	ok
	is "$(grep -xE '[0-9]+' "$T/out" | tr '\n' ' ')" "502 403 403 "
	has "$T/out" "may not be sent in the clear"
	is "$(seen)" ""
}

@test "in cleartext another address does not get it, whatever rule lets the request go there" {
	local asks
	credential "file:$T/keys/api" true
	http_serve 127.0.0.1:$PORT 127.0.0.2:$PORT
	asks="
		$(status http://localhost:$PORT/there)
		$(status -H Host:localhost:$PORT http://127.0.0.2:$PORT/a)
		$(status --http2-prior-knowledge --connect-to ::127.0.0.2: http://localhost:$PORT/b)
		$(status -H Host:other.test:$PORT http://127.0.0.2:$PORT/control)"
	local rules=".annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* bearer api cleartext") |
		.annotations[\"io.sandlock.network.allow\"] = \"tcp://127.0.0.1;tcp://127.0.0.2\""
	for rules in "$rules" "$rules | del(.annotations[\"io.sandlock.http.allow\"]) | .annotations[\"io.sandlock.http.deny\"] = \"* */private\""; do
		: >"$T/seen"
		http_in "GET */*" "$asks" "$rules"
		out_is "$(printf '200\n421\n421\n200')"
		is "$(seen)" "$(printf 'GET /there Bearer %s -\nGET /control - -' "$SECRET")"
	done
}

@test "a field of a response that repeats it is redacted, over HTTP/2 as well" {
	credential "file:$T/keys/api"
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	http_in "GET localhost/*" "curl -s -i https://localhost:$PORT/echo" "$CERTS | .annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* bearer api")"
	ok
	has "$T/out" "X-Echo: [redacted]"
	if grep -F "$SECRET" "$T/out"; then false; fi
}

@test "the first response of a cleartext connection is redacted" {
	credential "file:$T/keys/api" true
	http_serve 127.0.0.1:$PORT
	http_in "GET localhost/*" "curl -s -i http://localhost:$PORT/echo" ".annotations[\"io.sandlock.network.allow\"] = \"tcp://127.0.0.1\" |
		.annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* bearer api cleartext")"
	ok
	is "$(seen)" "GET /echo Bearer $SECRET -"
	has "$T/out" "X-Echo: [redacted]"
	if grep -F "$SECRET" "$T/out"; then false; fi
}

@test "an answer that comes after a rotation is redacted as well" {
	local old=$SECRET more
	for more in bearer basic:u; do
		rm -f "$T/seen" "$T/keys/new"
		echo "$old" >"$T/keys/api"
		credential "file:$T/keys/api" true
		http_serve 127.0.0.1:$PORT
		http_started "GET localhost/*" "
			curl -s -i http://localhost:$PORT/slow-echo/6 >/tmp/slow & slow=\$!
			while kill -0 \$slow 2>/dev/null; do curl -s -o /dev/null http://localhost:$PORT/a; sleep 0.3; done
			cat /tmp/slow; echo done; sleep 60" ".annotations[\"io.sandlock.network.allow\"] = \"tcp://127.0.0.1\" |
			.annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* $more api cleartext")"
		eventually 10 grep -q slow-echo "$T/seen"
		echo "$old-new" >"$T/keys/new"
		mv "$T/keys/new" "$T/keys/api"
		eventually 20 grep -qx done "$T/$ID.out"
		is "$(seen | grep -v slow-echo | awk '{ print $3, $4 }' | sort -u | wc -l)" 2 # both were sent meanwhile
		has "$T/$ID.out" "X-Echo: [redacted]"
		rt delete --force "$ID"
		ok
		kill "${SERVERS[@]}"
		SERVERS=()
	done
}

@test "the reason, the trailers and escaped spellings are redacted, with each user of a credential" {
	SECRET="s3cret/$RANDOM$RANDOM+a b"
	echo "$SECRET" >"$T/keys/api"
	credential "file:$T/keys/api"
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	mkdir "$T/www"
	echo ok >"$T/www/h2"
	nghttpd --trailer "x-end-2: $SECRET" -d "$T/www" -a 127.0.0.1 $((PORT + 1)) "$T/srv.key" "$T/srv.pem" >"$T/h2.log" 2>&1 3>&- &
	SERVERS+=($!)
	eventually 5 curl -sk -o /dev/null "https://localhost:$((PORT + 1))/h2"
	nghttp -v "https://localhost:$((PORT + 1))/h2" | grep -aqF "x-end-2: $SECRET" # control
	# The last but one comes after the credential was encoded for another user.
	http_in "GET localhost/*" "
		curl -s -i --raw https://localhost:$PORT/repeat/query
		curl -s -i --raw https://localhost:$PORT/repeat/one
		curl -s -i --raw https://localhost:$PORT/repeat/two
		nghttp -v https://localhost:$((PORT + 1))/h2 | grep -a x-end-2
		curl -s -i https://localhost:$PORT/slow-echo/2 & sleep 0.5; curl -s -i https://localhost:$PORT/repeat/two; wait" "$CERTS |
		.annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/repeat/query query:k api; * localhost/repeat/one basic:one api; * localhost/slow-echo/* basic:one api; * localhost/* basic:two api") |
		.mounts += [{destination: \"/usr\", type: \"bind\", source: \"/usr\", options: [\"rbind\", \"ro\"]}] |
		.annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\""
	ok
	has "$T/out" "x-end-2: [redacted]"
	is "$(grep -c '^HTTP/1.1 200 OK.$' "$T/out")" 5
	is "$(grep -c '^Location: \[redacted\]' "$T/out")" 4
	is "$(grep -c '^X-End: \[redacted\]' "$T/out")" 3
	has "$T/out" "X-Echo: [redacted]"
	local text
	for text in "$SECRET" "$(printf 'one:%s' "$SECRET" | base64 -w0)" "$(printf 'two:%s' "$SECRET" | base64 -w0)" s3cret; do
		if grep -F "$text" "$T/out"; then false; fi
	done
}

@test "a file that changes is read again, one that goes takes the credential with it" {
	credential "file:$T/keys/api"
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	http_started "GET localhost/*" "
		while :; do curl -s -o /dev/null -w '%{http_code}\n' https://localhost:$PORT/a; sleep 0.3; done" "$CERTS | .annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* bearer api")"
	eventually 5 grep -q "Bearer $SECRET" "$T/seen"
	echo rotated >"$T/keys/new"
	mv "$T/keys/new" "$T/keys/api"
	eventually 5 grep -q "Bearer rotated" "$T/seen"
	rm "$T/keys/api"
	eventually 5 grep -qx 502 "$T/$ID.out"
	rt delete --force "$ID"
	ok
}

@test "a credential of two lines is refused at create, and after a rotation in both protocols" {
	mkdir -p "$T/www"
	echo ok >"$T/www/a"
	nghttpd -v -d "$T/www" -a 127.0.0.1 $PORT "$T/srv.key" "$T/srv.pem" >"$T/h2.log" 2>&1 3>&- &
	SERVERS+=($!)
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$((PORT + 1))
	local more
	more="$CERTS | .annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* bearer api") |
		.annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\""
	credential "file:$T/keys/api"
	printf 'one\ntwo\n' >"$T/keys/two"
	cp "$T/keys/two" "$T/keys/api"
	http_in "GET localhost/*" true "$more"
	[ "$rc" -ne 0 ]
	has "$T/err" "credential api: the value of $T/keys/api has a control character"
	echo "$SECRET " >"$T/keys/api"
	http_in "GET localhost/*" true "$more"
	[ "$rc" -ne 0 ]
	has "$T/err" "credential api: the value of $T/keys/api has a control character, such as a line end within it, or a blank at one of its ends"
	echo "$SECRET" >"$T/keys/api"
	http_started "GET localhost/*" "
		while :; do for p in $PORT $((PORT + 1)); do curl -s -w '%{http_version} %{http_code}\n' https://localhost:\$p/a; done; sleep 0.3; done" "$more"
	eventually 10 grep -aq "Bearer $SECRET" "$T/h2.log"
	eventually 10 grep -q "Bearer $SECRET" "$T/seen"
	mv "$T/keys/two" "$T/keys/api"
	eventually 10 grep -qx "2 502" "$T/$ID.out"
	eventually 10 grep -qx "1.1 502" "$T/$ID.out"
	has "$T/$ID.out" "The credential for this request has a control character"
	is "$(grep -a -c ':path: /a' "$T/h2.log")" "$(grep -a -c 'authorization: Bearer' "$T/h2.log")"
	is "$(seen | grep -vcF "Bearer $SECRET")" 0
	has "$ROOT/$ID/audit.log" credential
	rt delete --force "$ID"
	ok
}

@test "add-only in HTTP/2: a name with _ is the same name" {
	mkdir -p "$T/www"
	echo ok >"$T/www/a"
	nghttpd -v -d "$T/www" -a 127.0.0.1 $PORT "$T/srv.key" "$T/srv.pem" >"$T/h2.log" 2>&1 3>&- &
	SERVERS+=($!)
	credential "file:$T/keys/api"
	http_in "GET localhost/*" "for field in 'X_Api_Key: mine' 'Other: mine'; do
			curl -s -o /dev/null -w '%{http_version} %{http_code}\n' -H \"\$field\" https://localhost:$PORT/a; done" "$CERTS |
		.annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* header:x-api-key api add-only")"
	ok
	out_is "$(printf '2 200\n2 200')"
	is "$(grep -a -c 'x_api_key: mine' "$T/h2.log")" 1
	is "$(grep -a -c "x-api-key: $SECRET" "$T/h2.log")" 1
}

@test "a redirect to another host, to cleartext or to a path without a rule does not get it" {
	credential "file:$T/keys/api"
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	http_serve 127.0.0.2:$((PORT + 1))
	http_in "GET localhost/*; GET 127.0.0.2/*" "
		for to in https://localhost:$PORT/private http://127.0.0.2:$((PORT + 1))/elsewhere https://localhost:$PORT/api/again; do
			curl -sL -o /dev/null -w '%{http_code}\n' \"https://localhost:$PORT/api/redirect?to=\$to\"
		done" "$CERTS | .annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/api/* bearer api") |
		.annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\" | .annotations[\"io.sandlock.network.allow\"] = \"tcp://127.0.0.1;tcp://127.0.0.2\""
	ok
	out_is "$(printf '200\n200\n200')"
	is "$(seen | sed 's/?to=.*/ first/' | grep -v first)" "GET /private - -
GET /elsewhere - -
GET /api/again Bearer $SECRET -"
}

@test "a variable: in no process but the proxy, no file of the state, log, core, answer or environment" {
	credential "env:API_KEY"
	RT_GLOBALS+=(--log "$T/log" --debug)
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	export API_KEY=$SECRET
	http_started "GET localhost/*" "
		env >/tmp/env; curl -s -o /dev/null https://localhost:$PORT/a; cat /tmp/env
		curl -s -X POST https://localhost:$PORT/a; curl -s http://localhost:$((PORT + 1))/a; echo answers; sleep 60" "$CERTS | .annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* bearer api") | .process.env += [\"API_KEY=placeholder\"]"
	unset API_KEY
	eventually 5 grep -q "Bearer $SECRET" "$T/seen"
	eventually 10 grep -q answers "$T/$ID.out"
	has "$T/$ID.out" "Blocked by"
	if grep -F "$SECRET" "$T/$ID.out"; then false; fi
	if grep -F API_KEY "$T/$ID.out"; then false; fi
	local proxy pid found=
	proxy=$(proxy_of "$ID")
	[ -n "$proxy" ]
	for pid in $(marked); do
		[[ " ${SERVERS[*]} " != *" $pid "* ]] || continue
		[ "$pid" = "$proxy" ] || holds "$pid" "$SECRET" && found="$found $pid"
		if tr '\0' '\n' <"/proc/$pid/environ" | grep -qF "$SECRET"; then found="$found environ:$pid"; fi
	done
	holds "$proxy" "$SECRET" # the look finds it where it is
	is "$found" " $proxy"
	run grep -rF "$SECRET" "$ROOT" "$T/log"
	[ "$status" -eq 1 ]
	is "$(awk '/^Max core/ { print $5, $6 }' "/proc/$proxy/limits")" "0 0"
	rt delete --force "$ID"
	ok
}

@test "exec with a process of its own: the variable with the credential goes, those that name the CA come" {
	credential "env:API_KEY"
	export API_KEY=$SECRET
	http_started "GET localhost/*" "sleep 60" "$CERTS | .annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* bearer api")"
	unset API_KEY
	jq -n --arg key "API_KEY=$SECRET" '{cwd: "/", user: {uid: 0, gid: 0}, args: ["/usr/bin/env"],
		env: [$key, "API_KEYS=kept", "SSL_CERT_FILE=/old"]}' >"$T/process.json"
	rt exec --process "$T/process.json" "$ID"
	ok
	is "$(sort "$T/out")" "API_KEYS=kept
CURL_CA_BUNDLE=/tmp/certs/bundle.crt
HOME=/root
NODE_EXTRA_CA_CERTS=/tmp/certs/bundle.crt
REQUESTS_CA_BUNDLE=/tmp/certs/bundle.crt
SSL_CERT_FILE=/tmp/certs/bundle.crt"
	rt exec --env "API_KEY=$SECRET" "$ID" env
	ok
	has "$T/out" "CURL_CA_BUNDLE=/tmp/certs/bundle.crt"
	if grep -F "$SECRET" "$T/out"; then false; fi
	rt delete --force "$ID"
	ok
}

@test "a variable that is not there, and a bundle that may not have the credential, are refused" {
	credential "env:NOT_THERE_$RANDOM"
	http_bundle "$T/d" "GET localhost/*" true "$CERTS | .annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* bearer api")"
	run_bundle "$T/d"
	[ "$rc" -ne 0 ]
	has "$T/err" "is not in the environment of the runtime"
	http_node '{}'
	run_bundle "$T/d"
	[ "$rc" -ne 0 ]
	has "$T/err" "api"
}

@test "add-only keeps what the request has; a credential from a file of a mount; a container that the node does not name gets none" {
	credential "mount:/keys/api"
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	local keys='.mounts += [{destination: "/keys", type: "bind", source: (env.T + "/keys"), options: ["bind", "ro"]}]'
	http_in "GET localhost/*" "
		curl -s -o /dev/null -H 'Authorization: mine' https://localhost:$PORT/a
		curl -s -o /dev/null https://localhost:$PORT/b" "$CERTS | $keys | .annotations[\"io.sandlock.config.credential\"] = \"api\" | $(auth "* localhost/* bearer api add-only")"
	ok
	is "$(seen)" "GET /a mine -
GET /b Bearer $SECRET -"
	# Another container's id is not in the list.
	jq '.http.credentials[0].ids = ["somebody-else*"]' "$T/node.json" >"$T/node2.json"
	RT_GLOBALS=(--config "$T/node2.json")
	run_bundle "$T/d"
	[ "$rc" -ne 0 ]
	has "$T/err" "gives this container no credential of that name"
}
