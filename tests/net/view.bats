#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The interfaces that a container is shown. The stack on which the runtime runs here is a
# namespace of the test, so that it is known what must not be seen.
load lib

HOST_IF=uplink7
HOST_MAC=02:11:22:33:44:55
HOST_V4=10.77.3.5
HOST_V6=fd77:3::5

# What other runs have left in the directory of common files, which may be full, does not count.
setup_file() {
	mkdir -p /run/sandlock-oci-net
	mount -t tmpfs -o mode=755 tmpfs /run/sandlock-oci-net
}

teardown_file() {
	umount -l /run/sandlock-oci-net
}

setup() {
	harness_setup
	ours || skip "only this runtime shows less than there is"
	# Without the mark, because it is no process of a container.
	env -u SANDLOCK_TEST_MARK unshare --net sh -c "ip link set lo up; ip link add $HOST_IF address $HOST_MAC type ifb 2>/dev/null ||
		ip link add $HOST_IF address $HOST_MAC type dummy
		ip link set $HOST_IF up; ip addr add $HOST_V4/24 dev $HOST_IF; ip addr add $HOST_V6/64 dev $HOST_IF nodad
		ip route add default via 10.77.3.1; ip -6 route add default via fd77:3::1
		echo up; exec sleep 100" >"$T/ns" 3>&- &
	NS=$!
	eventually 5 grep -q up "$T/ns"
	REAL=$RUNTIME
	on_stack common
	OPEN='.annotations["io.sandlock.network.allow"] = "*"'
	PROBE=".mounts += [{destination: \"/bin/ifprobe\", type: \"bind\", source: \"$HELPERS/ifprobe\", options: [\"bind\", \"ro\"]}]"
	bundle "$T/b"
	cp "$HELPERS/ifprobe" "$T/b/rootfs/bin/ifprobe"
}

teardown() {
	harness_teardown
	kill "$NS" 2>/dev/null || true
}

# on_stack common|own: the runtime runs in that namespace from now on. With `own` it cannot write to the
# directory for common files.
on_stack() {
	local place=
	[ "$1" = common ] || place='unshare -m sh -c "mkdir -p /run/sandlock-oci-net && mount -t tmpfs -o ro none /run/sandlock-oci-net && exec \"\$0\" \"\$@\""'
	mkdir -p "$T/in"
	printf '#!/bin/sh\nexec nsenter --net=/proc/%s/ns/net %s "%s" "$@"\n' "$NS" "$place" "$REAL" >"$T/in/sandlock-oci"
	chmod +x "$T/in/sandlock-oci"
	RUNTIME=$T/in/sandlock-oci
}

# bare ARGS...: runs ifprobe on the stack itself.
bare() {
	nsenter --net="/proc/$NS/ns/net" "$HELPERS/ifprobe" "$@"
}

# debian_in RULES SCRIPT: bash in the image, which stays read-only.
debian_in() {
	local debian
	debian=$("$BATS_TEST_DIRNAME/../images/debian")/rootfs
	mkdir -p "$T/d"
	config "$T/d" ".process.args = [\"bash\", \"-c\", \"\"] | .root = {path: \"$debian\", readonly: true} |
		.annotations[\"io.sandlock.network.allow\"] = \"$1\""
	jq --arg s "$2" '.process.args[2] = $s' "$T/d/config.json" >"$T/d/c"
	mv "$T/d/c" "$T/d/config.json"
	run_bundle "$T/d"
	ok
}

notifications() {
	rt events --stats "$ID"
	jq '(.sandlock // .data.sandlock).notifications_total' "$T/out"
}

lens_of() {
	readlink "/proc/$1/ns/net"
}

@test "control: on the stack itself everything is seen" {
	bare list >"$T/out"
	has "$T/out" "link $HOST_IF"
	has "$T/out" "addr $HOST_IF $HOST_V4"
	nsenter --net="/proc/$NS/ns/net" grep -q $HOST_IF /proc/net/dev
	is "$(bare agree | head -1)" "agree 2 2"
}

@test "a closed container is shown lo" {
	sh_in 'ifprobe list; ifprobe agree'
	out_is "$(printf 'link lo\naddr lo 127.0.0.1\naddr lo ::1\nagree 1 1\ncut clean')"
}

@test "with rules that lead out also eth0, with the addresses that routing would use" {
	sh_in 'ifprobe list; ifprobe agree' "$OPEN"
	out_is "$(printf '%s\n' "link lo" "link eth0" "addr lo 127.0.0.1" "addr eth0 $HOST_V4" "addr lo ::1" \
		"addr eth0 $HOST_V6" "agree 2 2" "cut clean")"
}

@test "eth0 has the families of the rules; rules for loopback bring none" {
	node_policy '{"network": {"localRules": "allow"}}'
	sh_in 'ifprobe list | grep eth0; cat /proc/net/if_inet6' '.annotations["io.sandlock.network.allow"] = "10.0.0.0/8:80"'
	out_is "$(printf 'link eth0\naddr eth0 %s\n00000000000000000000000000000001 01 80 10 80       lo' $HOST_V4)"
	sh_in 'ifprobe list | grep eth0; ifprobe agree; grep -c eth0 /proc/net/if_inet6 /proc/net/route' \
		'.annotations["io.sandlock.network.allow"] = "tcp://[2001:db8::/32]"'
	out_is "$(printf 'link eth0\naddr eth0 %s\nagree 2 1\ncut clean\n/proc/net/if_inet6:1\n/proc/net/route:0' $HOST_V6)"
	sh_in 'ifprobe list; grep -c : /proc/net/dev' '.annotations["io.sandlock.network.allow"] = "127.0.0.1:80; [::1]:80"'
	out_is "$(printf 'link lo\naddr lo 127.0.0.1\naddr lo ::1\n1')"
}

@test "neither name nor hardware address of the stack's interfaces is anywhere" {
	local look='ip addr; ip route; ip -6 route; ifconfig -a; route -n; netstat -rn; netstat -an; cat /proc/net/*
		ls -R /sys/class/net /sys/devices/virtual/net; cat /sys/class/net/*/* /sys/devices/virtual/net/*/*'
	local rules
	for rules in . "$OPEN"; do
		sh_in "{ $look; } 2>&1" "$rules"
		has "$T/out" "127.0.0.1"
		! grep -iE "$HOST_IF|$HOST_MAC|10\.77\.3\.1\b|fd77:3::1\b|01034D0A" "$T/out"
	done
	has "$T/out" "$HOST_V4"
	# Control: the same on the stack finds it.
	nsenter --net="/proc/$NS/ns/net" sh -c 'ip addr; ip route' >"$T/out"
	has "$T/out" $HOST_MAC
	has "$T/out" 10.77.3.1
}

@test "files agree with what sockets say" {
	sh_in 'cat /sys/class/net/eth0/address /sys/class/net/eth0/ifindex /sys/class/net/lo/mtu
		ip link show eth0 | sed -n "s/.*ether \([^ ]*\).*/\1/p"; ip link show eth0 | sed -n "s/^\([0-9]*\):.*/\1/p"
		sed -n "s/^\([^ ]*\) \([^ ]*\) .*eth0/\1 \2/p" /proc/net/if_inet6; grep -A1 10.77 /proc/net/fib_trie | tail -1
		sed -n "s/^ *\([a-z0-9]*\):.*/\1/p" /proc/net/dev' "$OPEN"
	out_is "$(printf '%s\n' 02:00:0a:4d:03:05 16 65536 02:00:0a:4d:03:05 16 'fd770003000000000000000000000005 10' \
		'        /32 host LOCAL' lo eth0)"
}

@test "the same where the tree is in a mount namespace, and where it is staged" {
	local mode
	for mode in '{"rootfs": {"mode": "namespace"}}' '{"rootfs": {"assembly": "staged"}}'; do
		node_policy "$mode"
		sh_in 'ifprobe list; cat /proc/net/dev /sys/class/net/eth0/mtu; ls /sys/devices/virtual/net' "$OPEN"
		has "$T/out" "addr eth0 $HOST_V4"
		has "$T/out" "  eth0:       0"
		! grep -q $HOST_IF "$T/out"
	done
}

@test "where there is no place for common files a container has its own" {
	local rules where look='ifprobe agree; cd /proc/net; for f in *; do echo $f; cat $f; done; ls -R /sys/class/net
		cat /sys/class/net/lo/*; df /proc/net | tail -1 >&2'
	for rules in . "$OPEN"; do
		for where in own common; do
			on_stack $where
			sh_in "$look" "$rules"
			cp "$T/out" "$T/$where"
			cp "$T/err" "$T/$where.df"
		done
		diff "$T/own" "$T/common"
		! cmp "$T/own.df" "$T/common.df"
	done
}

@test "a bundle can mask them as any other path" {
	sh_in 'ls /sys/class/net; ls /sys/devices/virtual/net' '.linux.maskedPaths += ["/sys/class/net"]'
	out_is lo
}

@test "what tools parse has the kernel's headlines, for every user of the container" {
	local f files="arp dev route tcp tcp6 udp udp6 raw raw6 unix netlink packet protocols igmp icmp icmp6"
	sh_in "umask; id -u; cd /proc/net; for f in $files snmp; do head -1 \$f; done" '.process.user = {uid: 1000, gid: 1000}'
	sed -i 1,2d "$T/out"
	for f in $files snmp; do
		nsenter --net="/proc/$NS/ns/net" head -1 "/proc/net/$f"
	done >"$T/kernel"
	# Blanks at an end, and columns that a newer kernel has added.
	sed -i 's/ *$//; s/ OutTransmits//' "$T/out" "$T/kernel"
	diff -b "$T/kernel" "$T/out"
}

@test "without a rule for UDP a datagram socket can be asked, and carries nothing" {
	local port=".annotations[\"io.sandlock.network.allow\"] = \"tcp://*:443\""
	bare datagram $HOST_V4 >"$T/bare"
	is "$(sed -n '1p;7p;8p' "$T/bare")" "$(printf 'ok\n%s\nok' $HOST_V4)"
	sh_in 'for a in 127.0.0.9 192.0.2.1 ::1; do ifprobe datagram $a; done; ifconfig -a | grep -c Link'
	out_is "$(printf '%s\n' EINVAL EINVAL EPIPE ok EINVAL ok 127.0.0.1 EPIPE EAGAIN ok \
		EINVAL EINVAL ENETUNREACH ok EINVAL ENETUNREACH 0.0.0.0 EDESTADDRREQ EAGAIN ok \
		EINVAL EINVAL EPIPE ok EINVAL ok ::1 EPIPE EAGAIN ok 1)"
	# Where the supervisor connects, the rules are about it as about any other.
	sh_in 'ifprobe datagram 192.0.2.1; ifconfig | grep -c Link' "$port"
	out_is "$(printf '%s\n' EINVAL EINVAL EPIPE ok EINVAL ECONNREFUSED 0.0.0.0 EDESTADDRREQ EAGAIN ok 2)"
	# With a rule it is of the stack.
	sh_in "ifprobe datagram 192.0.2.1 | sed -n '1p;7p'" "$OPEN"
	out_is "$(printf 'ok\n%s' $HOST_V4)"
}

@test "iproute2 and python" {
	debian_in "*" 'ip -br -4 addr; ip route; ip -6 route show default; ip link show eth0 | grep -c "UP,LOWER_UP"; ss -tln | wc -l
		python3 -c "
import socket, threading, time
threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
print([n for i, n in socket.if_nameindex()])
for f in socket.AF_INET, socket.AF_INET6:
    try: print(socket.getaddrinfo(None, 80, f, socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG)[0][4][0])
    except OSError as e: print(e)"'
	out_is "$(printf '%s\n' "lo               UNKNOWN        127.0.0.1/8 " "eth0             UNKNOWN        $HOST_V4/32 " \
		"default dev eth0 scope link src $HOST_V4 " "default dev eth0 src $HOST_V6 metric 1024 pref medium" 1 1 \
		"['lo', 'eth0']" 127.0.0.1 ::1)"
}

@test "nothing can be changed" {
	bare change >"$T/bare"
	is "$(sort -u "$T/bare")" ok
	sh_in 'ifprobe change'
	out_is "$(printf 'EPERM\n%.0s' 1 2 3 4 5 6)"
	sh_in 'ifprobe change; ifprobe list | grep -c link' "$OPEN"
	out_is "$(printf 'EPERM\n%.0s' 1 2 3 4 5 6; echo 2)"
}

# Its maker has every right, and it is the supervisor that sends for a process with threads: before
# it does, it gives CAP_NET_ADMIN back, which it holds until somebody looks at interfaces.
@test "a route socket of the stack that was passed in changes nothing" {
	local debian
	debian=$("$BATS_TEST_DIRNAME/../images/debian")/rootfs
	cat >"$T/change.py" <<-'END'
		import errno, socket, struct, sys, threading
		stop = threading.Event(); threading.Thread(target=stop.wait).start()
		s = socket.socket(fileno=3); s.settimeout(3)
		body = struct.pack('=BBBBI', 2, 32, 0, 0, 1) + b''.join(struct.pack('=HH4B', 8, k, 127, 77, 77, 77) for k in (1, 2))
		m = struct.pack('=IHHII', 16 + len(body), 20, 0x505, 1, 0) + body
		def ask(*to):
		    try: s.sendto(m, *to) if to else s.sendmsg([m])
		    except OSError as e: return errno.errorcode[e.errno]
		    return errno.errorcode.get(-struct.unpack('=i', s.recv(65536)[16:20])[0], 'ok')
		print(ask((0, 0)), ask())
		socket.if_nameindex()
		print(ask((0, 0)), ask())
		stop.set()
	END
	cat >"$T/pass.py" <<-'END'
		import os, socket, sys
		s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
		os.dup2(s.fileno(), 3); os.set_inheritable(3, True)
		os.execv(sys.argv[1], sys.argv[1:])
	END
	config "$T/b" ".process.args = [\"python3\", \"/mnt/change.py\"] | .root = {path: \"$debian\", readonly: true} | $OPEN |
		.mounts += [{destination: \"/mnt\", type: \"bind\", source: \"$T\", options: [\"rbind\", \"ro\"]}]"
	nsenter --net="/proc/$NS/ns/net" python3 "$T/pass.py" /usr/bin/python3 "$T/change.py" >"$T/out"
	is "$(head -1 "$T/out")" "ok ok"
	nsenter --net="/proc/$NS/ns/net" ip addr del 127.77.77.77/32 dev lo
	sed -i "s|\"$REAL\"|python3 $T/pass.py &|" "$T/in/sandlock-oci"
	run_bundle "$T/b" --preserve-fds 1
	ok
	out_is "$(printf 'EPERM EPERM\nEPERM EPERM')"
	! nsenter --net="/proc/$NS/ns/net" ip addr show | grep 127.77
}

@test "flags, names, errors, duplicates and bad memory are as on the stack" {
	local what
	for what in flags passed bad-memory "many 20" "ioctl file 0x8913" "ioctl none 0x8913" "ioctl path 0x8913" \
		"ioctl 6 0x8915" "ioctl unix 0x8915" "ioctl unix 0x8933" "ioctl netlink 0x8913" "ioctl 4 0x8915" "ioctl 4 0x8933"; do
		bare $what
	done >"$T/bare"
	has "$T/bare" EBADF
	has "$T/bare" ENOTTY
	has "$T/bare" ESOCKTNOSUPPORT
	sh_in 'for what in flags passed bad-memory "many 20" "ioctl file 0x8913" "ioctl none 0x8913" "ioctl path 0x8913" \
		"ioctl 6 0x8915" "ioctl unix 0x8915" "ioctl unix 0x8933" "ioctl netlink 0x8913" "ioctl 4 0x8915" "ioctl 4 0x8933"; do
		ifprobe $what; done' "$OPEN"
	diff "$T/bare" "$T/out"
}

@test "a table that is full" {
	sh_in 'ulimit -n 3; ifprobe socket'
	out_is EMFILE
	sh_in 'ulimit -n 4; ifprobe socket'
	out_is ok
}

@test "other ways to read or set devices" {
	# ETHTOOL, GARP, GMIIPHY, a private one, wireless; SIFFLAGS, ADDRT, SIFNAME, GSKNS
	sh_in 'for c in 0x8946 0x8954 0x8947 0x89f0 0x8b01; do ifprobe ioctl 4 $c; done
		for c in 0x8914 0x890b 0x8923 0x894c; do ifprobe ioctl 4 $c; done
		for c in 0x8905 0x8904 0x894b; do ifprobe ioctl 4 $c; done'
	out_is "$(printf 'EOPNOTSUPP\n%.0s' 1 2 3 4 5; printf 'EPERM\n%.0s' 1 2 3 4; for c in 0x8905 0x8904 0x894b; do bare ioctl 4 $c; done)"
}

@test "nobody is asked, and no namespace made, before somebody looks" {
	local sup
	started 'sleep 1; cat /proc/net/dev /sys/class/net/lo/mtu >/dev/null; touch /run/ready; while [ ! -e /run/go ]; do sleep 0.05; done; ifprobe many 200; echo done; exec sleep 100' "$PROBE"
	sup=$(pid_of "$ID")
	eventually 5 rt exec "$ID" test -e /run/ready
	is "$(notifications)" 0
	is "$(lens_of "$sup")" "$(lens_of $NS)"
	before=$(fds_of "$sup")
	rt exec "$ID" touch /run/go
	eventually 10 grep -q done "$T/$ID.out"
	has "$T/$ID.out" "0 of 200 failed"
	is "$(notifications)" 400
	[ "$(lens_of "$sup")" != "$(lens_of $NS)" ]
	is "$(lens_of "$(workload_of "$ID")")" "$(lens_of $NS)"
	eventually 5 eval "[ \$(fds_of $sup) -le $before ]"
	# CAP_NET_ADMIN (12) and CAP_SYS_ADMIN (21) were needed to make the namespace only.
	is $((0x$(awk '/^CapPrm/ { print $2 }' "/proc/$sup/status") & (1 << 12 | 1 << 21))) 0
	rt delete --force "$ID"
	ok
}

@test "a supervisor killed after the look leaves nothing" {
	local sup
	started "ifprobe list; exec sleep 100" "$OPEN | $PROBE"
	eventually 5 grep -q "addr eth0 $HOST_V6" "$T/$ID.out"
	sup=$(pid_of "$ID")
	[ "$(lens_of "$sup")" != "$(lens_of $NS)" ]
	kill -9 "$sup"
	eventually 5 test ! -e "/proc/$sup/ns/net"
	rt delete --force "$ID"
	ok
}

@test "who may administer the stack sees it" {
	node_policy '{"capabilities": {"unfenced": "keep"}}'
	sh_in "ifprobe list; grep -c $HOST_IF /proc/net/dev; ls /sys/class/net" \
		'.process.capabilities |= map_values(. + ["CAP_NET_ADMIN"])'
	has "$T/out" "link $HOST_IF"
	is "$(grep -cx "$HOST_IF" "$T/out")" 1
	! grep -q eth0 "$T/out"
}

@test "limit: the files of a process are of the stack" {
	sh_in "grep -c $HOST_IF /proc/self/net/dev"
	out_is 1
}

@test "explained" {
	bundle "$T/b" "$OPEN"
	rt policy explain --bundle "$T/b"
	ok
	grep -Eq '^show +lo; eth0 where rules lead out +supervisor' "$T/out"
}

@test "containers that are shown the same share no inode: a lock ends at the container" {
	# The control arm: two processes of the host and one file.
	cp /etc/hostname "$T/common"
	"$HELPERS/probe" hold lock "$T/common" 30 >"$T/held" 3>&- &
	local holder=$!
	eventually 5 grep -q ok "$T/held"
	is "$("$HELPERS/probe" hold lock "$T/common")" EAGAIN
	kill "$holder"
	started 'probe hold lock /proc/net/dev 100 & probe hold lock /proc/net/route 100'
	eventually 5 sh -c "[ \$(grep -c ok '$T/$ID.out') = 2 ]"
	sh_in 'probe hold lock /proc/net/dev; probe hold lock /proc/net/route'
	out_is "$(printf 'ok\nok')"
}
