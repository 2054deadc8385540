#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# HTTPS with a CA that the proxy has made and with a given one, HTTP/1.1 and HTTP/2, and servers
# whose certificate is not valid.
load lib


setup() {
	harness_setup
	ours || skip "another network"
	SERVERS=()
	pki
	http_node "{\"http\": {\"caBundle\": \"$T/ca.pem\"}}"
}

@test "an ephemeral authority: curl trusts the bundle, rules see the path, the original certificates stay" {
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	http_in "GET localhost/public/*" "
		$(status https://localhost:$PORT/public/a)
		$(status https://localhost:$PORT/private)
		$(status -X POST https://localhost:$PORT/public/a)
		grep -c BEGIN /tmp/certs/bundle.crt" "$CERTS"
	ok
	is "$(head -3 "$T/out")" "$(printf '200\n403\n403')"
	is "$(tail -1 "$T/out")" 3
	is "$(seen)" "GET /public/a - -"
}

@test "an authority of the bundle: certificates are signed by it, and http_ca_out has it" {
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	mkdir -p "$T/d"
	own_ca "$T/d"
	http_in "GET localhost/*" "
		curl -sv https://localhost:$PORT/a 2>&1 | grep -E 'issuer|hello'" "$CERTS |
		.annotations[\"io.sandlock.config.http_ca\"] = \"own.pem\" | .annotations[\"io.sandlock.config.http_key\"] = \"own.key\" |
		.annotations[\"io.sandlock.config.http_ca_out\"] = \"out.pem\""
	ok
	has "$T/out" "CN=own authority"
	has "$T/out" "hello /a"
	cmp "$T/d/own.pem" "$T/d/out.pem"
}

@test "http_ca_out replaces a certificate, and no other file" {
	local file
	mkdir -p "$T/d"
	own_ca "$T/d"
	for file in config.json own.key; do
		http_bundle "$T/d" "GET localhost/*" true ".annotations[\"io.sandlock.config.http_ca\"] = \"own.pem\" |
			.annotations[\"io.sandlock.config.http_key\"] = \"own.key\" | .annotations[\"io.sandlock.config.http_ca_out\"] = \"$file\""
		cp "$T/d/$file" "$T/before"
		run_bundle "$T/d"
		[ "$rc" -ne 0 ]
		has "$T/err" "http_ca_out: $file is there and is no certificate, so it is not replaced"
		cmp "$T/before" "$T/d/$file"
	done
	cp "$T/srv.pem" "$T/d/out.pem"
	http_bundle "$T/d" "GET localhost/*" true '.annotations["io.sandlock.config.http_ca"] = "own.pem" |
		.annotations["io.sandlock.config.http_key"] = "own.key" | .annotations["io.sandlock.config.http_ca_out"] = "out.pem"'
	run_bundle "$T/d"
	ok
	cmp "$T/d/own.pem" "$T/d/out.pem"
}

@test "a key that is not the authority's is refused at create" {
	mkdir -p "$T/d"
	own_ca "$T/d"
	cp "$T/srv.key" "$T/d/own.key"
	http_bundle "$T/d" "GET localhost/*" true '.annotations["io.sandlock.config.http_ca"] = "own.pem" |
		.annotations["io.sandlock.config.http_key"] = "own.key"'
	run_bundle "$T/d"
	[ "$rc" -ne 0 ]
	has "$T/err" "it is not the key of the certificate"
}

@test "an authority that cannot be one is refused at create, by the file and its mistake" {
	mkdir -p "$T/d"
	own_ca "$T/d"
	mkdir "$T/d/directory"
	mkfifo "$T/d/fifo"
	: >"$T/d/empty"
	openssl req -new -key "$T/d/own.key" -subj "/CN=own authority" -out "$T/old.csr"
	openssl x509 -req -in "$T/old.csr" -signkey "$T/d/own.key" -days -1 -out "$T/d/old.pem" \
		-extfile <(echo basicConstraints=critical,CA:TRUE) 2>/dev/null
	local cert key message
	while IFS='|' read -r cert key message; do
		http_bundle "$T/d" "GET localhost/*" true ".annotations[\"io.sandlock.config.http_ca\"] = \"$cert\" |
			.annotations[\"io.sandlock.config.http_key\"] = \"$key\""
		run_bundle "$T/d"
		[ "$rc" -ne 0 ]
		has "$T/err" "$message"
	done <<-END
		nope.pem|own.key|http_ca: open $T/d/nope.pem: No such file or directory
		own.pem|nope.key|http_key: open $T/d/nope.key: No such file or directory
		own.pem|directory|http_key: $T/d/directory is no regular file
		fifo|own.key|http_ca: $T/d/fifo is no regular file
		own.pem|empty|http_key: read a private key in PEM form without a password
		empty|own.key|http_ca: read a certificate in PEM form
		old.pem|own.key|http_ca: the certificate has expired
	END
}

@test "a bundle of the node policy without a certificate is refused at create" {
	echo nothing >"$T/nothing.pem"
	http_node "{\"http\": {\"caBundle\": \"$T/nothing.pem\"}}"
	http_in "GET localhost/*" true "$CERTS"
	[ "$rc" -ne 0 ]
	has "$T/err" "http.caBundle of the node policy: $T/nothing.pem: there is no certificate in PEM form in it"
}

@test "servers with a strange, an expired or another's certificate are 502 with the reason" {
	http_serve "$T/self.pem" "$T/self.key" 127.0.0.1:$PORT
	http_serve "$T/old.pem" "$T/srv.key" 127.0.0.1:$((PORT + 1))
	http_serve "$T/other.pem" "$T/srv.key" 127.0.0.1:$((PORT + 2))
	http_in "GET localhost/*" "
		for p in $PORT $((PORT + 1)) $((PORT + 2)); do curl -s -w '%{http_code}\n' https://localhost:\$p/; done" \
		"$CERTS | .annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1)),$((PORT + 2))\""
	ok
	is "$(grep -cx 502 "$T/out")" 3
	has "$T/out" "self-signed certificate"
	has "$T/out" "certificate has expired"
	has "$T/out" "hostname mismatch"
	is "$(seen)" ""
}

@test "a deny rule holds for what else the certificate of the same server covers" {
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	http_in "* */*" "
		$(status https://localhost:$PORT/admin/a)
		$(status https://127.0.0.1:$PORT/admin/b)
		$(status https://127.0.0.1:$PORT/public)" \
		"$CERTS | .annotations[\"io.sandlock.http.deny\"] = \"* localhost/admin/*\""
	out_is "$(printf '403\n403\n200')"
	is "$(seen)" "GET /public - -"
}

@test "a Host that is not the name that TLS was asked for is 421; no rule for a name: the server is not asked" {
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	http_in "GET localhost/*" "
		$(status -H Host:127.0.0.1:$PORT https://localhost:$PORT/)
		$(status --resolve other.test:$PORT:127.0.0.1 https://other.test:$PORT/)" "$CERTS"
	out_is "$(printf '421\n403')"
	is "$(seen)" ""
}

@test "HTTP/2 by ALPN and with prior knowledge: each stream is judged" {
	mkdir -p "$T/www/private"
	head -c 3000000 /dev/urandom >"$T/www/big"
	echo secret >"$T/www/private/x"
	nghttpd -d "$T/www" -a 127.0.0.1 $PORT "$T/srv.key" "$T/srv.pem" >"$T/h2.log" 2>&1 3>&- &
	SERVERS+=($!)
	nghttpd --no-tls -d "$T/www" -a 127.0.0.1 $((PORT + 1)) >"$T/h2c.log" 2>&1 3>&- &
	SERVERS+=($!)
	eventually 5 curl -sk -o /dev/null "https://localhost:$PORT/big"
	http_in "GET localhost/big" "
		curl -s -w '%{http_version}\n' -o /tmp/big https://localhost:$PORT/big; sha256sum </tmp/big
		curl -s -o /dev/null -o /dev/null -w '%{http_code} %{http_version}\n' https://localhost:$PORT/private/x https://localhost:$PORT/big
		curl -s --http2-prior-knowledge http://localhost:$((PORT + 1))/big | sha256sum
		curl -s --http2-prior-knowledge http://localhost:$((PORT + 1))/private/x" \
		"$CERTS | .annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\""
	ok
	is "$(head -4 "$T/out")" "$(
		echo 2
		sha256sum <"$T/www/big"
		printf '403 2\n200 2'
	)"
	is "$(grep -c "$(sha256sum <"$T/www/big")" "$T/out")" 2
	has "$T/out" "Blocked by the HTTP policy"
}

@test "HTTP/2: a body both ways, fifty streams of which some are denied" {
	mkdir "$T/www"
	echo small >"$T/www/ok"
	nghttpd --echo-upload -d "$T/www" -a 127.0.0.1 $PORT "$T/srv.key" "$T/srv.pem" \
		>"$T/h2.log" 2>&1 3>&- &
	SERVERS+=($!)
	eventually 5 curl -sk -o /dev/null "https://localhost:$PORT/ok"
	http_in "GET localhost/ok; PUT localhost/in" "
		head -c 5000000 /dev/urandom >/tmp/body
		curl -s -T /tmp/body https://localhost:$PORT/in | cmp - /tmp/body && echo same
		for i in \$(seq 25); do
			printf 'url = https://localhost:$PORT/ok\noutput = /dev/null\n'
			printf 'url = https://localhost:$PORT/no\noutput = /dev/null\n'
		done | curl -s -Z --parallel-max 50 -K - -w '%{http_code} %{http_version}\n' | sort | uniq -c | tr -s ' '" "$CERTS"
	ok
	out_is "$(printf 'same\n 25 200 2\n 25 403 2')"
}

@test "HTTP/2 as the clients of nghttp2 speak it: twenty streams at a time on five connections, trailers" {
	mkdir "$T/www"
	echo small >"$T/www/ok"
	nghttpd -v --echo-upload -d "$T/www" -a 127.0.0.1 $PORT "$T/srv.key" "$T/srv.pem" >"$T/h2.log" 2>&1 3>&- &
	SERVERS+=($!)
	nghttpd --no-tls -d "$T/www" -a 127.0.0.1 $((PORT + 1)) >"$T/h2c.log" 2>&1 3>&- &
	SERVERS+=($!)
	eventually 5 curl -sk -o /dev/null "https://localhost:$PORT/ok"
	eventually 5 curl -s --http2-prior-knowledge -o /dev/null "http://localhost:$((PORT + 1))/ok"
	http_in "GET localhost/ok; PUT localhost/in" "
		for url in https://localhost:$PORT http://localhost:$((PORT + 1)); do
			for path in ok no; do h2load -n 1000 -c 5 -m 20 \$url/\$path | grep '^status codes'; done
		done
		head -c 300000 /dev/zero >/tmp/body
		nghttp -v -m 10 -H ':method: PUT' -d /tmp/body --trailer 'x-end: 1' https://localhost:$PORT/in |
			grep -a -o ':status: [0-9]*' | sort | uniq -c | tr -s ' '" \
		"$CERTS | .annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\" |
			.mounts += [{destination: \"/usr\", type: \"bind\", source: \"/usr\", options: [\"rbind\", \"ro\"]}]"
	ok
	out_is "$(for i in 1 2; do printf 'status codes: %s\n' '1000 2xx, 0 3xx, 0 4xx, 0 5xx' '0 2xx, 0 3xx, 1000 4xx, 0 5xx'; done
		echo ' 10 :status: 200')"
	is "$(grep -a -c 'x-end: 1' "$T/h2.log")" 10
}

@test "HTTP/2: a trailer that is refused is 400; a client of HTTP/2 alone gets a refusal before the server is asked" {
	mkdir "$T/www"
	echo small >"$T/www/in"
	nghttpd -v --echo-upload -d "$T/www" -a 127.0.0.1 $PORT "$T/srv.key" "$T/srv.pem" >"$T/h2.log" 2>&1 3>&- &
	SERVERS+=($!)
	eventually 5 curl -sk -o /dev/null "https://localhost:$PORT/in"
	http_in "* localhost/*" "
		echo body >/tmp/body
		for t in 'host: other.test' 'authorization: x' 'x-http-method-override: DELETE' 'x-end: 1'; do
			nghttp -v -H ':method: PUT' -d /tmp/body --trailer \"\$t\" https://localhost:$PORT/in |
				grep -a -oE ':status: [0-9]+|sandlock-refused: .*'
		done
		nghttp -v https://127.0.0.1:$PORT/in | grep -a -oE ':status: [0-9]+|sandlock-refused: .*'" \
		"$CERTS | .mounts += [{destination: \"/usr\", type: \"bind\", source: \"/usr\", options: [\"rbind\", \"ro\"]}]"
	ok
	out_is ":status: 400
sandlock-refused: trailer
:status: 400
sandlock-refused: trailer
:status: 400
sandlock-refused: override
:status: 200
:status: 403
sandlock-refused: no allow rule"
	is "$(grep -a -c 'x-end: 1' "$T/h2.log")" 1
}

@test "http_ca_env names the bundle for programs that read variables; a hashed directory has the authority" {
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	http_in "GET localhost/*" "
		env | grep -c -E '^(SSL_CERT_FILE|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)=/tmp/certs/bundle.crt\$'
		unset CURL_CA_BUNDLE SSL_CERT_FILE
		curl -s --cacert /tmp/certs/one.pem --capath /tmp/certs https://localhost:$PORT/a; ls /tmp/certs | wc -l" \
		"$CERTS | .annotations[\"io.sandlock.config.http_inject_ca\"] = \"/tmp/certs/bundle.crt;/tmp/certs\""
	ok
	out_is "$(printf '4\nhello /a\n3')"
}

@test "TLS before 1.2 is refused on both sides; the roots of the host are read where SSL_CERT_FILE says" {
	http_node '{}'
	openssl s_server -tls1_1 -cipher DEFAULT@SECLEVEL=0 -accept 127.0.0.1:$((PORT + 1)) -cert "$T/srv.pem" -key "$T/srv.key" -www \
		>"$T/old.log" 2>&1 3>&- &
	SERVERS+=($!)
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$PORT
	# control: the old server serves those who let it
	eventually 5 curl -sk --tls-max 1.1 --ciphers DEFAULT@SECLEVEL=0 -o /dev/null "https://localhost:$((PORT + 1))/"
	export SSL_CERT_FILE=$T/ca.pem
	http_in "GET localhost/*" "
		$(status https://localhost:$PORT/a)
		$(status --tlsv1.0 --tls-max 1.1 --ciphers DEFAULT@SECLEVEL=0 https://localhost:$PORT/a) ; echo \$?
		curl -s -w '%{http_code}\n' https://localhost:$((PORT + 1))/" \
		"$CERTS | .annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\""
	unset SSL_CERT_FILE
	is "$(head -3 "$T/out")" "$(printf '200\n000\n35')" # CURLE_SSL_CONNECT_ERROR
	is "$(tail -1 "$T/out")" 502
	is "$(seen)" "GET /a - -"
}

@test "links in the bundle and in the container lead to no file of the host" {
	local host=$T/host
	mkdir -p "$T/d" "$host"
	own_ca "$host"
	echo untouched >"$host/out.pem"
	local key other
	# The authority's files, and the one that its certificate is written to, by a link in the bundle.
	for key in own.pem own.key out.pem; do
		rm -rf "$T/d"
		mkdir "$T/d"
		cp "$host/own.pem" "$host/own.key" "$T/d/"
		ln -sf "$host/$key" "$T/d/$key"
		http_bundle "$T/d" "GET localhost/*" true '.annotations["io.sandlock.config.http_ca"] = "own.pem" |
			.annotations["io.sandlock.config.http_key"] = "own.key" | .annotations["io.sandlock.config.http_ca_out"] = "out.pem"'
		run_bundle "$T/d"
		[ "$rc" -ne 0 ]
		has "$T/err" "$key: Too many levels of symbolic links"
	done
	is "$(cat "$host/out.pem")" untouched
	# What the CA is added to is looked up in the container's root.
	rm -rf "$T/d"
	ln -s "$host/own.pem" "$T/certs/link.crt"
	export T
	http_in "GET localhost/*" "cat /tmp/certs/link.crt" "$CERTS | .annotations[\"io.sandlock.config.http_inject_ca\"] = \"/tmp/certs/link.crt\""
	[ "$rc" -ne 0 ]
	if grep -F "$(sed -n 2p "$host/own.pem")" "$T/out" "$T/err"; then false; fi
}
