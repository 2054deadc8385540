#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Containers of one pod share its loopback, and no other container reaches it.
load lib

setup_file() {
	DEBIAN=$("$BATS_TEST_DIRNAME/../images/debian")
	export DEBIAN
}

POD='.annotations["io.kubernetes.cri.sandbox-id"]'
# A container has datagram sockets only where a rule is about them.
CLOSED="192.0.2.1:9"


@test "two containers of one pod talk over localhost, TCP and UDP, v4 and v6" {
	debian_started "$CLOSED" "cat >/tmp/s.py <<'END'
import socket, threading
def udp(s):
    while True:
        data, peer = s.recvfrom(100)
        s.sendto(b'to ' + data, peer)
def tcp(s):
    while True:
        c, _ = s.accept()
        c.sendall(b'tcp'); c.close()
for family, host in (socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1'):
    for kind, serve in (socket.SOCK_STREAM, tcp), (socket.SOCK_DGRAM, udp):
        s = socket.socket(family, kind); s.bind((host, $PORT))
        if kind == socket.SOCK_STREAM: s.listen()
        threading.Thread(target=serve, args=(s,)).start()
print('up', flush=True)
END
exec python3 /tmp/s.py" "$POD = \"pod-a\""
	server=$ID
	eventually 10 grep -q up "$T/$server.out"
	client="cat >/tmp/c.py <<'END'
import errno, socket
def go(family, kind, host):
    s = socket.socket(family, kind); s.settimeout(3)
    try:
        if kind == socket.SOCK_STREAM: s.connect((host, $PORT))
        else: s.sendto(b'you', (host, $PORT))
        return s.recv(100).decode()
    except OSError as e: return errno.errorcode[e.errno]
for host, family in ('127.0.0.1', socket.AF_INET), ('::1', socket.AF_INET6):
    print(go(family, socket.SOCK_STREAM, host), go(family, socket.SOCK_DGRAM, host))
END
python3 /tmp/c.py"
	debian_in "$CLOSED" "$client" "$POD = \"pod-a\""
	ok
	out_is "$(printf 'tcp to you\ntcp to you')"
	debian_in "$CLOSED" "$client" "$POD = \"pod-b\""
	ok
	out_is "$(printf 'ECONNREFUSED ECONNREFUSED\nECONNREFUSED ECONNREFUSED')"
	# A container without a pod is a pod of one container.
	debian_in "$CLOSED" "$client"
	ok
	out_is "$(printf 'ECONNREFUSED ECONNREFUSED\nECONNREFUSED ECONNREFUSED')"
	rt delete --force "$server"
	# When the server has ended, the pod does not reach its port any more.
	debian_in "$CLOSED" "$client" "$POD = \"pod-a\""
	is "$(cut -d' ' -f1 "$T/out")" "$(printf 'ECONNREFUSED\nECONNREFUSED')"
}

@test "a sidecar: through the proxy what the proxy may, and nothing else" {
	up=127.0.0.2:$PORT
	other=127.0.0.3:$PORT
	serve $up $other
	cat >"$T/proxy.py" <<END
import errno, socket, threading
def one(c):
    host, port = c.makefile().readline().split()
    try:
        s = socket.create_connection((host, int(port)), 3)
        while data := s.recv(1000): c.sendall(data)
    except OSError as e: c.sendall(errno.errorcode[e.errno].encode() + b'\n')
    c.close()
l = socket.create_server(('127.0.0.1', $((PORT + 1))))
print('up', flush=True)
while True: threading.Thread(target=one, args=(l.accept()[0],)).start()
END
	cat >"$T/app.py" <<END
import errno, socket
def go(host, port, say=''):
    try:
        s = socket.create_connection((host, port), 3)
        s.sendall(say.encode() + b'\n')
        return s.makefile().readline().strip()
    except OSError as e: return errno.errorcode[e.errno]
print(go('127.0.0.2', $PORT), go('127.0.0.3', $PORT))
for to in '127.0.0.2', '127.0.0.3': print(go('127.0.0.1', $((PORT + 1)), f'{to} $PORT'))
END
	scripts=".mounts += [{destination: \"/mnt\", type: \"bind\", source: \"$T\", options: [\"rbind\", \"ro\"]}]"
	debian_started "tcp://$up" "exec python3 /mnt/proxy.py" "$scripts | $POD = \"pod-a\""
	proxy=$ID
	eventually 10 grep -q up "$T/$proxy.out"
	# The control arm: nothing else prevents the application from connecting there.
	is "$(python3 "$T/app.py")" "$(printf 'hi hi\nhi\nECONNREFUSED')"
	is "$(count $other tcp)" 1
	before=$(count $up tcp)
	debian_in "tcp://192.0.2.1:9" "python3 /mnt/app.py" "$scripts | $POD = \"pod-a\""
	ok
	out_is "$(printf 'ECONNREFUSED ECONNREFUSED\nhi\nECONNREFUSED')"
	is "$(count $up tcp)" $((before + 1))
	is "$(count $other tcp)" 1
	debian_in "tcp://192.0.2.1:9" "python3 /mnt/app.py" "$scripts | $POD = \"pod-b\""
	ok
	out_is "$(printf 'ECONNREFUSED ECONNREFUSED\nECONNREFUSED\nECONNREFUSED')"
	is "$(count $up tcp)" $((before + 1))
	rt delete --force "$proxy"
}
