# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# What can be reached; each view's bats file has a test of each function.

# serve PATH [TYPE]: a unix socket of this test outside, which answers "hello" or notes what it gets.
serve() {
	"${AS[@]}" /usr/bin/python3 - "$1" "${2:-stream}" "$T/w/got" <<-'E' 3>&- 4>&- &
		import os, socket, sys
		kind = socket.SOCK_STREAM if sys.argv[2] == "stream" else socket.SOCK_DGRAM
		s = socket.socket(socket.AF_UNIX, kind)
		s.bind(sys.argv[1])
		os.chmod(sys.argv[1], 0o777)
		if kind == socket.SOCK_DGRAM:
		    while True:
		        open(sys.argv[3], "ab").write(s.recv(100))
		s.listen()
		while True:
		    c, _ = s.accept()
		    c.sendall(b"hello\n")
		    c.close()
	E
	SERVER=$!
	for _ in $(seq 200); do
		[ ! -S "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

ask='import socket, sys
try:
    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(9).decode().strip())
except OSError as e: print(e.strerror)'

# A socket behind a grant for reading acts, so it is out of reach; by every name.
network_unix_read_only() {
	mkdir -p "$T/w/run"
	[ "$VIEW" = tree ] || chown "$SOME_UID" "$T/w/run"
	serve "$T/w/run/sock"
	ln -s run/sock "$T/w/link"
	as_user /usr/bin/python3 -c "$ask" "$T/w/run/sock"
	out_is hello
	for name in "$T/w/run/sock" "$T/w/link" run/sock "$T/w/run/../run/sock"; do
		sl run "${BASE[@]}" -r "$T/w" -- /usr/bin/python3 -c "$ask" "$name"
		out_is "Permission denied"
	done
	sl run "${BASE[@]}" -r "$T/w" -w "$T/w/run" -- /usr/bin/python3 -c "$ask" "$T/w/link"
	out_is hello
	kill "$SERVER"
}

network_unix_datagrams() {
	local send='import socket, sys
out = []
for make in (lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
             lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0],
             lambda: socket.socket(socket.AF_UNIX, socket.SOCK_RAW)):
    for how in ("sendto", "sendmsg"):
        try:
            s = make()
            if how == "sendto": s.sendto(b"x", sys.argv[1])
            else: s.sendmsg([b"x"], [], 0, sys.argv[1])
            out.append("sent")
        except OSError as e: out.append(e.strerror)
print(" ".join(sorted(set(out))))'
	mkdir -p "$T/w/run"
	[ "$VIEW" = tree ] || chown "$SOME_UID" "$T/w/run"
	serve "$T/w/run/sock" dgram
	as_user /usr/bin/python3 -c "$send" "$T/w/run/sock"
	out_is sent
	sleep 0.3
	is "$(cat "$T/w/got")" xxxxxx
	rm "$T/w/got"
	sl run "${BASE[@]}" -r "$T/w" -- /usr/bin/python3 -c "$send" "$T/w/run/sock"
	out_is "Operation not permitted"
	sl run "${BASE[@]}" -r "$T/w" --net-allow udp://192.0.2.1:9 -- /usr/bin/python3 -c "$send" "$T/w/run/sock"
	out_is "Permission denied"
	sleep 0.3
	[ ! -e "$T/w/got" ]
	sl run "${BASE[@]}" -w "$T/w" --net-allow udp://192.0.2.1:9 -- /usr/bin/python3 -c "$send" "$T/w/run/sock"
	out_is sent
	kill "$SERVER"
}

# Its own sockets work, pairs too.
network_unix_own() {
	sl run "${BASE[@]}" -w "$T/w" -- /usr/bin/python3 -c 'import os, socket
s = socket.socket(socket.AF_UNIX); s.bind("own"); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect("own"); a, _ = s.accept()
c.send(b"to itself"); print(a.recv(99).decode())
a, b = socket.socketpair(); a.send(b"pair"); print(b.recv(9).decode())'
	out_is "$(printf 'to itself\npair')"
}

tcp='import socket, sys
for what in sys.argv[1:]:
    host, port = what.rsplit(":", 1)
    try:
        s = socket.socket()
        s.settimeout(5)
        s.connect((host, int(port))); print(s.recv(9).decode().strip())
    except OSError as e: print(e.strerror)'

# tcp_server: listens outside on a free port of loopback, $PORT, and says "tcp".
tcp_server() {
	/usr/bin/python3 - "$T/port" <<-'E' 3>&- 4>&- &
		import os, socket, sys
		s = socket.socket()
		s.bind(("127.0.0.1", 0))
		s.listen()
		open(sys.argv[1] + ".new", "w").write(str(s.getsockname()[1]))
		os.rename(sys.argv[1] + ".new", sys.argv[1])
		while True:
		    c, _ = s.accept()
		    c.sendall(b"tcp\n")
		    c.close()
	E
	SERVER=$!
	for _ in $(seq 200); do
		[ ! -s "$T/port" ] || break
		sleep 0.05
	done
	PORT=$(cat "$T/port")
}

network_tcp() {
	tcp_server
	as_user /usr/bin/python3 -c "$tcp" "127.0.0.1:$PORT"
	out_is tcp
	sl run "${BASE[@]}" -- /usr/bin/python3 -c "$tcp" "127.0.0.1:$PORT" 192.0.2.1:80
	out_is "$(printf 'Permission denied\nPermission denied')"
	sl run "${BASE[@]}" --net-allow "tcp://127.0.0.1:$PORT" -- /usr/bin/python3 -c "$tcp" "127.0.0.1:$PORT" 192.0.2.1:80
	out_is "$(printf 'tcp\nConnection refused')"
	sl run "${BASE[@]}" --net-allow "nonsense://x" -- true
	is "$rc" 1
	err_has 'sandlock: --net-allow: "nonsense://x" is malformed'
	kill "$SERVER"
}

network_bind() {
	local try='import socket, sys
for port in sys.argv[1:]:
    s = socket.socket()
    try: s.bind(("127.0.0.1", int(port))); print("bound")
    except OSError as e: print(e.strerror)'
	as_user /usr/bin/python3 -c "$try" 0 28461
	out_is "$(printf 'bound\nbound')"
	sl run "${BASE[@]}" -- /usr/bin/python3 -c "$try" 0 28461
	out_is "$(printf 'Permission denied\nPermission denied')"
	sl run "${BASE[@]}" --net-allow-bind 28461 -- /usr/bin/python3 -c "$try" 0 28461
	out_is "$(printf 'Permission denied\nbound')"
	sl run "${BASE[@]}" --net-deny-bind 28461 -- /usr/bin/python3 -c "$try" 0 28461
	out_is "$(printf 'bound\nPermission denied')"
}
