// SPDX-License-Identifier: Apache-2.0
// client.mjs URL...: GET by fetch, by http or https, and by http2 where it is TLS; a line each.
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";

const text = async (stream) => {
	let all = "";
	for await (const part of stream) all += part;
	return all.trim();
};
const say = (name, status, body) => console.log(name, status, status === 200 ? body : "-");

for (const url of process.argv.slice(2)) {
	const answer = await fetch(url);
	say("fetch", answer.status, (await answer.text()).trim());
	const old = url.startsWith("https") ? https : http;
	await new Promise((done) => old.get(url, async (r) => done(say("get", r.statusCode, await text(r)))));
	if (old === http) continue;
	const session = http2.connect(url);
	const stream = session.request({ ":path": new URL(url).pathname });
	const status = await new Promise((done) => stream.on("response", (h) => done(h[":status"])));
	say("http2", status, await text(stream));
	session.close();
}
