#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Real programs of the Debian image under network rules: what is allowed works over v4 and
# v6 and by name, what is denied is refused at once.
load lib

setup_file() {
	DEBIAN=$("$BATS_TEST_DIRNAME/../images/debian")
	export DEBIAN
}

http() {
	python3 -c '
import http.server, socket, sys
class S(http.server.ThreadingHTTPServer):
    request_queue_size = 512
    address_family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
class H(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "6"); self.end_headers(); self.wfile.write(b"hello\n")
    def log_message(self, *a): pass
S((sys.argv[1], int(sys.argv[2])), H).serve_forever()' "$1" "$2" 3>&- &
	HTTP+=("$!")
	eventually 5 curl -s -o /dev/null "http://$3:$2/"
}

teardown() {
	[ -z "${HTTP:-}" ] || kill "${HTTP[@]}" 2>/dev/null || true
	[ -z "${SERVER:-}" ] || kill "$SERVER" 2>/dev/null || true
	harness_teardown
}

@test "curl over v4, v6 and by a pinned name; refused at once elsewhere" {
	HTTP=()
	http 127.0.0.2 $PORT 127.0.0.2
	http ::1 $PORT "[::1]"
	debian_in "tcp://127.0.0.2:$PORT; tcp://[::1]:$PORT; tcp://localhost:$PORT" "
		curl -s http://127.0.0.2:$PORT/; curl -s 'http://[::1]:$PORT/'; curl -s http://localhost:$PORT/
		curl -s --max-time 5 http://127.0.0.3:$PORT/ || echo status \$?
		curl -s --max-time 5 http://192.0.2.1:$PORT/ || echo status \$?"
	ok
	out_is "$(printf 'hello\nhello\nhello\nstatus 7\nstatus 7')"
}

@test "python: blocking, with a timeout, asyncio, a hundred at once" {
	HTTP=()
	http 127.0.0.2 $PORT 127.0.0.2
	debian_in "tcp://127.0.0.2:$PORT" "cat >/tmp/c.py <<'END'
import asyncio, errno, socket, time, urllib.request
print(urllib.request.urlopen('http://127.0.0.2:$PORT/').read().decode().strip())
s = socket.create_connection(('127.0.0.2', $PORT), timeout=3)
print(s.getpeername() == ('127.0.0.2', $PORT), s.gettimeout())
async def get(host):
    r, w = await asyncio.open_connection(host, $PORT)
    w.write(b'GET / HTTP/1.0\r\n\r\n')
    data = await r.read()
    w.close()
    return data.endswith(b'hello\n')
async def main():
    print(sum(await asyncio.gather(*(get('127.0.0.2') for _ in range(100)))))
    t = time.monotonic()
    try:
        await get('127.0.0.3')
    except OSError as e:
        print(e.errno == errno.ECONNREFUSED, time.monotonic() - t < 1)
asyncio.run(main())
END
python3 /tmp/c.py"
	ok
	out_is "$(printf 'hello\nTrue 3.0\n100\nTrue True')"
}

@test "redis-server and redis-cli within the container, over TCP and a unix socket" {
	debian_in "tcp://192.0.2.1:1" "redis-server --port $PORT --unixsocket /tmp/r.sock --save '' --dir /tmp >/tmp/log &
		for i in \$(seq 50); do redis-cli -p $PORT ping >/dev/null 2>&1 && break; sleep 0.1; done
		redis-cli -p $PORT set a 1; redis-cli -h ::1 -p $PORT get a; redis-cli -s /tmp/r.sock get a
		redis-cli -p $PORT shutdown nosave; wait"
	ok
	out_is "$(printf 'OK\n1\n1')"
}

@test "UDP: python clients, large datagrams, control data, GSO, threads that pass descriptors" {
	serve 127.0.0.2:$PORT 127.0.0.3:$PORT
	debian_in "udp://127.0.0.2:$PORT" "cat >/tmp/u.py <<'END'
import array, errno, os, socket, struct, threading
A, B = ('127.0.0.2', $PORT), ('127.0.0.3', $PORT)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(3)
s.sendto(b'one', A); print(s.recv(100))
s.sendmsg([b'tw', b'o'], [(socket.IPPROTO_IP, socket.IP_TOS, struct.pack('i', 16))], 0, A); print(s.recv(100))
print(s.sendto(b'x' * 60000, A), len(s.recv(70000)))
try: s.sendto(b'x' * 70000, A)
except OSError as e: print(errno.errorcode[e.errno])
try: s.sendto(b'no', B)
except OSError as e: print(errno.errorcode[e.errno])
s.sendmsg([b'a' * 100 + b'b' * 100], [(17, 103, struct.pack('H', 100))], 0, A)
print(s.recv(1000) == b'a' * 100, s.recv(1000) == b'b' * 100)
c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); c.settimeout(3)
c.connect(A); c.send(b'connected'); print(c.recv(100))
c.sendmsg([b'no name']); print(c.recv(100))
m = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); m.settimeout(3)
m.sendto(b'mapped', ('::ffff:127.0.0.2', $PORT)); print(m.recv(100))
try: m.sendto(b'mapped', ('::ffff:127.0.0.3', $PORT))
except OSError as e: print(errno.errorcode[e.errno])
def passed():
    a, b = socket.socketpair()
    r, w = os.pipe()
    socket.send_fds(a, [b'fd'], [w])
    data, fds, _, _ = socket.recv_fds(b, 10, 1)
    os.write(fds[0], b'through'); print(data, os.read(r, 10))
passed()
stop = threading.Event(); t = threading.Thread(target=stop.wait); t.start()
passed()
stop.set(); t.join()
END
python3 /tmp/u.py"
	ok
	out_is "b'one'
b'two'
60000 1000
EMSGSIZE
ECONNREFUSED
True True
b'connected'
b'no name'
b'mapped'
ECONNREFUSED
b'fd' b'through'
b'fd' b'through'"
	is "$(count 127.0.0.3:$PORT udp)" 0
}

@test "ping over an ICMP socket, by rule" {
	node_policy '{"network": {"localRules": "allow"}}'
	debian_in "icmp://127.0.0.2" "cat >/tmp/p.py <<'END'
import errno, socket, struct
def ping(host):
    try:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
        s.settimeout(2)
        s.sendto(struct.pack('!BBHHH', 8, 0, 0, 0, 1) + b'x' * 8, (host, 0))
        return s.recv(100)[-8:]
    except OSError as e:
        return errno.errorcode[e.errno]
print(ping('127.0.0.2'), ping('127.0.0.3'))
END
python3 /tmp/p.py"
	ok
	# Where the node's ping_group_range leaves the container's group out, the kernel says EACCES.
	if [ "$(awk '{ print ($1 <= 0 && $2 >= 0) }' /proc/sys/net/ipv4/ping_group_range)" = 1 ]; then
		out_is "b'xxxxxxxx' ECONNREFUSED"
	else
		out_is "EACCES EACCES"
	fi
}

@test "names that are not pinned fail at once when port 53 is not allowed" {
	echo "nameserver 192.0.2.53" >"$T/resolv.conf"
	for rules in "tcp://127.0.0.2:$PORT" "udp://127.0.0.2:$PORT; tcp://localhost:80"; do
		debian_in "$rules" "python3 -c '
import socket, time
print(socket.gethostbyname(\"localhost\"))
t = time.monotonic()
try: print(socket.gethostbyname(\"elsewhere.example\"))
except OSError as e: print(type(e).__name__, time.monotonic() - t < 1)'" \
			".mounts += [{destination: \"/etc/resolv.conf\", type: \"bind\", source: \"$T/resolv.conf\", options: [\"rbind\", \"ro\"]}]"
		ok
		out_is "$(printf '127.0.0.1\ngaierror True')"
	done
}

@test "interfaces can be listed" {
	debian_in "tcp://127.0.0.2:$PORT" "python3 -c 'import socket; print(\"lo\" in [n for _, n in socket.if_nameindex()])'"
	ok
	out_is True
}

@test "netlink of a process with threads, beside UDP: it can list, and changes nothing" {
	cat >"$T/n.py" <<'END'
import errno, socket, struct, threading
stop = threading.Event(); threading.Thread(target=stop.wait).start()
def ask(kind, flags, body, *to):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); s.settimeout(3)
    m = struct.pack('=IHHII', 16 + len(body), kind, flags | 1, 1, 0) + body
    try: s.sendto(m, *to) if to else s.sendmsg([m])
    except OSError as e: return errno.errorcode[e.errno]
    answer = s.recv(65536)
    code = struct.unpack('=i', answer[16:20])[0]
    return errno.errorcode.get(-code, 'ok') if answer[4:6] == b'\2\0' else 'listed'
# RTM_GETLINK as a dump; RTM_NEWADDR 127.77.77.77/32 on the first interface.
links = 18, 0x300, struct.pack('=BxHiII', 0, 0, 0, 0, 0)
attrs = b''.join(struct.pack('=HH4B', 8, kind, 127, 77, 77, 77) for kind in (1, 2))
change = 20, 0x604, struct.pack('=BBBBI', 2, 32, 0, 0, 1) + attrs
print(ask(*links, (0, 0)), ask(*links))
print(ask(*change, (0, 0)), ask(*change), ask(*change, (1, 0)), ask(*change, (0, 1)))
stop.set()
END
	is "$(unshare --net python3 "$T/n.py")" "$(printf 'listed listed\nok EEXIST ECONNREFUSED EEXIST')"
	debian_in "udp://127.0.0.2:$PORT" "python3 /mnt/n.py" \
		".mounts += [{destination: \"/mnt\", type: \"bind\", source: \"$T\", options: [\"rbind\", \"ro\"]}]"
	ok
	out_is "$(printf 'listed listed\nEPERM EPERM EACCES EACCES')"
}

@test "unix sockets of a process with threads, beside UDP: as the caller, and by no other way" {
	debian_in "udp://127.0.0.2:$PORT" "cat >/tmp/x.py <<'END'
import errno, os, socket, struct, threading
os.chdir('/tmp'); os.umask(0)
def listen(path):
    s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen(5)
    def serve():
        while True:
            c, _ = s.accept()
            pid, uid, gid = struct.unpack('3i', c.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            c.send(f'{uid} {gid}'.encode()); c.close()
    threading.Thread(target=serve, daemon=True).start()
listen('/tmp/open'); listen('/tmp/closed'); os.chmod('/tmp/closed', 0o600)
os.mkdir('/tmp/sub')
if os.fork() == 0:
    os.setgroups([77]); os.setgid(1001); os.setuid(1000); os.chdir('/tmp/sub')
    stop = threading.Event(); threading.Thread(target=stop.wait).start()
    def go(path):
        s = socket.socket(socket.AF_UNIX)
        try: s.connect(path); return s.recv(100).decode()
        except OSError as e: return errno.errorcode[e.errno]
    fd = os.open('/tmp', os.O_PATH)
    for p in '/tmp/open', '../open', '/tmp/closed', '/tmp/none', '\\0abstract', f'/proc/self/fd/{fd}/open', '/proc/self/root/tmp/open':
        print(go(p))
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    b.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    a.sendmsg([b'hello'])
    data, anc, _, _ = b.recvmsg(100, 100)
    print(data, struct.unpack('3i', anc[0][2])[1:])
    stop.set(); os._exit(0)
os.wait()
END
timeout 20 python3 -u /tmp/x.py"
	ok
	out_is "1000 1001
1000 1001
EACCES
ENOENT
EACCES
ELOOP
ELOOP
b'hello' (1000, 1001)"
}

@test "redis under an address policy: 20 000 commands ask the supervisor nothing" {
	mkdir -p "$T/d"
	jq --arg root "$DEBIAN/rootfs" --arg mark "SANDLOCK_TEST_MARK=$MARK" --arg t "$T" --arg s "
		redis-server --port $PORT --save '' --dir /tmp >/tmp/log &
		for i in \$(seq 50); do redis-cli -p $PORT ping >/dev/null 2>&1 && break; sleep 0.1; done
		redis-benchmark -p $PORT -t set,get -n 10000 -c 20 -q >/mnt/bench 2>&1; echo \$? >/mnt/done; exec sleep 100" \
		'.process.args = ["bash", "-c", $s] | .root = {path: $root, readonly: true} |
		.process.env += [$mark, "PATH=/usr/bin:/bin"] |
		.mounts += [{destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev", "mode=1777"]},
			{destination: "/mnt", type: "bind", source: $t, options: ["rbind", "rw"]}] |
		.annotations["io.sandlock.network.allow"] = "tcp://192.0.2.1:6379"' "$HARNESS_DIR/config.json" >"$T/d/config.json"
	create r "$T/d"
	ok
	rt start r
	ok
	eventually 60 test -s "$T/done"
	is "$(cat "$T/done")" 0
	cat "$T/bench"
	rt events --stats r
	# Each client connects once in each of the two rounds, and redis-cli until it is answered.
	[ "$(jq .data.sandlock.notifications_total "$T/out")" -lt 150 ]
	rt delete --force r
}
