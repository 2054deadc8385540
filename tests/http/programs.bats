#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Real clients under HTTP rules, over HTTP and HTTPS: what is allowed passes, what is denied is 403,
# and a credential arrives at the server that no client has.
load lib
IMAGE=clients # Node, Python with requests and aiohttp

setup() {
	harness_setup
	ours || skip "another network"
	SERVERS=()
	pki
	echo s3cret >"$T/key"
	http_node "{\"http\": {\"caBundle\": \"$T/ca.pem\", \"credentials\": [
		{\"name\": \"api\", \"source\": \"file:$T/key\", \"hosts\": [\"localhost\"], \"ids\": [\"*\"]}]}}"
	http_serve 127.0.0.2:$PORT
	http_serve "$T/srv.pem" "$T/srv.key" 127.0.0.1:$((PORT + 1))
	RULES="POST localhost/v1/messages; GET 127.0.0.2/ok"
	BOTH="$CERTS | .annotations[\"io.sandlock.http.ports\"] = \"$PORT,$((PORT + 1))\" |
		.annotations[\"io.sandlock.config.credential\"] = \"api\" |
		.annotations[\"io.sandlock.http.auth\"] = \"POST localhost/v1/messages header:X-Key api\""
}

# What each client is to have done.
done_well() {
	ok
	out_is "$(printf '200\n403\n200 got 2\n403')"
	is "$(seen | sort)" "$(printf 'GET /ok - -\nPOST /v1/messages - s3cret')"
}

@test "python: requests" {
	http_in "$RULES" "python3 -c '
import requests
plain, tls = \"http://127.0.0.2:$PORT\", \"https://localhost:$((PORT + 1))\"
s = requests.Session()
print(s.get(plain + \"/ok\").status_code)
print(s.get(plain + \"/no\").status_code)
r = s.post(tls + \"/v1/messages\", data=\"{}\")
print(r.status_code, r.text.strip())
print(s.get(tls + \"/v1/messages\").status_code)'" "$BOTH"
	done_well
}

@test "python: aiohttp" {
	http_in "$RULES" "python3 -c '
import asyncio, ssl, aiohttp
plain, tls = \"http://127.0.0.2:$PORT\", \"https://localhost:$((PORT + 1))\"
async def main():
    async with aiohttp.ClientSession() as s:
        print((await s.get(plain + \"/ok\")).status)
        print((await s.get(plain + \"/no\")).status)
        r = await s.post(tls + \"/v1/messages\", data=\"{}\", ssl=ssl.create_default_context())
        print(r.status, (await r.text()).strip())
        print((await s.get(tls + \"/v1/messages\")).status)
asyncio.run(main())'" "$BOTH"
	done_well
}

@test "node: fetch" {
	http_in "$RULES" "cat >/tmp/c.js <<'END'
const plain = 'http://127.0.0.2:$PORT', tls = 'https://localhost:$((PORT + 1))';
(async () => {
	console.log((await fetch(plain + '/ok')).status);
	console.log((await fetch(plain + '/no')).status);
	const r = await fetch(tls + '/v1/messages', { method: 'POST', body: '{}' });
	console.log(r.status, (await r.text()).trim());
	console.log((await fetch(tls + '/v1/messages')).status);
})();
END
node /tmp/c.js" "$BOTH"
	done_well
}

@test "curl, ten connections at once and a hundred requests on each" {
	http_in "$RULES" "
		for i in \$(seq 10); do
			(for k in \$(seq 100); do echo \"url = http://127.0.0.2:$PORT/ok\"; echo output = /dev/null; done |
				curl -s -K - -w '%{http_code}\n') &
		done; wait" "$BOTH"
	ok
	is "$(sort "$T/out" | uniq -c | tr -s ' ')" " 1000 200"
}
