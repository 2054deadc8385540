#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Servers that listen on all addresses of the node are not reached, by default and with the widest
# rules, by any spelling of an address, link-local ones with their scope included.
load lib

# Starts a server for both families on all addresses of this machine.
serve_all() {
	cat >"$T/all.py" <<-END
		import ctypes, socket, sys, threading
		ctypes.CDLL(None).prctl(1, 9)
		seen = [0, 0]
		def tell(i):
		    seen[i] += 1
		    open("$T/seen", "w").write("%d %d\n" % tuple(seen))
		stream = socket.socket(socket.AF_INET6)
		datagram = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
		for s in stream, datagram:
		    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
		    s.bind(("::", $PORT))
		stream.listen(100)
		def take():
		    while True:
		        stream.accept()[0].close()
		        tell(0)
		threading.Thread(target=take, daemon=True).start()
		open("$T/seen", "w").write("0 0\n")
		while True:
		    datagram.recv(100)
		    tell(1)
	END
	python3 "$T/all.py" >"$T/server.log" 2>&1 3>&- &
	SERVER=$!
	eventually 5 test -s "$T/seen"
}

# Prints every address, and the other spellings of the IPv4 addresses.
addresses() {
	local a dev
	ip -o addr | while read -r _ dev _ a _; do
		a=${a%/*}
		case $a in
		fe80:*) echo "$a%$dev" ;;
		*:*) echo "$a"; echo "$a%$dev" ;;
		*) printf '%s\n' "$a" "::ffff:$a" "::$a" "64:ff9b::$a" ;;
		esac
	done
	printf '%s\n' 0.0.0.0 :: ::ffff:0.0.0.0 "ff02::1%lo"
}

@test "by default and with the widest rules" {
	local rules policy
	DEBIAN=$("$BATS_TEST_DIRNAME/../images/debian")
	serve_all
	cat >"$T/go.py" <<-END
		import socket
		ok = tries = 0
		for host in open("/mnt/addresses").read().split():
		    for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
		        tries += 1
		        try:
		            info = socket.getaddrinfo(host, $PORT, 0, kind, 0, socket.AI_NUMERICHOST)[0]
		            with socket.socket(info[0], kind) as s:
		                s.settimeout(0.3)
		                if kind == socket.SOCK_STREAM:
		                    s.connect(info[4])
		                else:
		                    s.sendto(b"x", info[4])
		            ok += 1
		        except OSError:
		            pass
		print("ok", ok, "of", tries)
	END
	addresses >"$T/addresses"
	[ "$(wc -l <"$T/addresses")" -ge 9 ]
	sed "s|/mnt|$T|" "$T/go.py" >"$T/control.py"
	python3 "$T/control.py" >"$T/control"
	[ "$(field "$(cat "$T/control")" ok)" -ge 8 ]
	eventually 2 awk '$1 < 4 || $2 < 4 { exit 1 }' "$T/seen"
	sleep 0.2
	cp "$T/seen" "$T/before"
	for rules in none '*' '*; 0.0.0.0/0; [::/0]; udp://*; udp://[::/0]; icmp://*'; do
		for policy in '{}' '{"network": {"localRules": "allow"}}'; do
			node_policy "$policy"
			debian_in "$rules" 'python3 /mnt/go.py' \
				".mounts += [{destination: \"/mnt\", type: \"bind\", source: \"$T\", options: [\"rbind\", \"ro\"]}] |
				if \"$rules\" == \"none\" then del(.annotations[\"io.sandlock.network.allow\"]) else . end"
			ok
			is "$(field "$(cat "$T/out")" ok)" 0
		done
	done
	sleep 0.2
	is "$(cat "$T/seen")" "$(cat "$T/before")"
}
