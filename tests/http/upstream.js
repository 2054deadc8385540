// SPDX-License-Identifier: Apache-2.0
// upstream.js ADDRESS LOG: a server as lenient as Node.js can be; for each request the log has the
// host, the method and the path with its escapes decoded.
const fs = require("fs");
const http = require("http");

const [address, log] = process.argv.slice(2);
const read = (path) => {
	try {
		return decodeURIComponent(path);
	} catch {
		return unescape(path);
	}
};

http.createServer({ insecureHTTPParser: true, requireHostHeader: false }, (req, res) => {
	const url = req.url === "*" ? { pathname: "*" } : new URL(req.url.replace(/^\/+/, "/"), "http://x/");
	const line = `${req.headers.host || "-"} ${req.method} ${read(url.pathname)}`;
	fs.appendFileSync(log, line.replace(/[\r\n]/g, "?") + "\n");
	req.resume();
	req.on("end", () => res.end("served\n"));
}).listen(80, address);
