// SPDX-License-Identifier: Apache-2.0
//
// client.js PORT UP4 UP6 NAME NO4 NO6: one line each for fetch, net and dgram: what the five
// answered, or the code and whether the best of ten refusals took less than 5 ms.
const net = require('net');
const dgram = require('dgram');

const [port, ...hosts] = process.argv.slice(2);
const written = (host) => (host.includes(':') ? `[${host}]` : host);

async function get(host) {
	return (await (await fetch(`http://${written(host)}:${port}/`)).text()).trim();
}

function dial(host) {
	return new Promise((done, failed) => {
		const s = net.connect(port, host, () => s.write('GET / HTTP/1.1\r\n\r\n'));
		s.on('data', (data) => {
			s.destroy();
			done(String(data).trim().split('\n').pop());
		});
		s.on('error', failed);
	});
}

function send(host) {
	return new Promise((done, failed) => {
		const s = dgram.createSocket(host.includes(':') ? 'udp6' : 'udp4');
		s.on('message', (data) => {
			s.close();
			done(String(data));
		});
		s.send('ping', Number(port), host, (e) => {
			if (e) {
				s.close();
				failed(e);
			}
		});
	});
}

async function best(go, host) {
	let code;
	let least = Infinity;
	for (let i = 0; i < 10; i++) {
		const begin = performance.now();
		try {
			return await go(host);
		} catch (e) {
			code = (e.cause || e).code;
		}
		least = Math.min(least, performance.now() - begin);
	}
	return `${code} ${least < 5}`;
}

(async () => {
	for (const go of [get, dial, send]) {
		const said = [];
		for (const host of hosts) said.push(await best(go, host));
		console.log(said.join(' '));
	}
})();
