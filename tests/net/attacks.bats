#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Attacks on network rules, each with a control arm: the same program without a container
# reaches what it must not reach here. What the servers have counted decides.
load lib

GOOD=127.0.0.2
BAD=127.0.0.3

both() {
	serve $GOOD:$PORT $BAD:$PORT
}

# Bounded by time and not by a number of tries, which a machine under load would not reach.
@test "the address is flipped between the look and the act, for fifteen seconds" {
	LIMIT=60
	both
	"$HELPERS/netprobe" swap $GOOD $BAD $PORT 0.2 >"$T/control"
	[ "$(count $BAD:$PORT tcp)" -gt 0 ]
	kill "$SERVER"
	wait "$SERVER" || true
	both
	net_in "tcp://$GOOD:$PORT" "netprobe swap $GOOD $BAD $PORT 15"
	cat "$T/out"
	[ "$(field "$(cat "$T/out")" good)" -gt 100 ]
	[ "$(field "$(cat "$T/out")" refused)" -gt 100 ]
	is "$(count $BAD:$PORT tcp)" 0
}

@test "the same with sendto, sendmsg, sendmmsg and a message that is cut into segments" {
	LIMIT=60
	both
	for kind in sendto sendmsg sendmmsg segments; do
		"$HELPERS/netprobe" swapsend $kind $GOOD $BAD $PORT 0.2 >"$T/control"
	done
	[ "$(count $BAD:$PORT udp)" -gt 0 ]
	kill "$SERVER"
	wait "$SERVER" || true
	both
	for kind in sendto sendmsg sendmmsg segments; do
		net_in "udp://$GOOD:$PORT" "netprobe swapsend $kind $GOOD $BAD $PORT 4"
		[ "$(field "$(cat "$T/out")" good)" -gt 100 ]
		[ "$(field "$(cat "$T/out")" refused)" -gt 100 ]
	done
	[ "$(count $GOOD:$PORT udp)" -gt 0 ]
	is "$(count $BAD:$PORT udp)" 0
}

@test "a datagram socket put in place of a unix socket connects nowhere" {
	LIMIT=120
	both
	for who in thread process; do
		"$HELPERS/netprobe" swapfd $who $BAD $PORT 100000 >"$T/control"
		[ "$(field "$(cat "$T/control")" connected)" -gt 0 ]
	done
	kill "$SERVER"
	wait "$SERVER" || true
	both
	for who in thread process; do
		net_in "udp://$GOOD:$PORT" "netprobe swapfd $who $BAD $PORT 50000"
		is "$(field "$(cat "$T/out")" connected)" 0
	done
	is "$(count $BAD:$PORT udp)" 0
}

@test "sendmmsg with one bad of many sends those before it" {
	both
	"$HELPERS/netprobe" mmsg $GOOD $BAD $PORT >"$T/control"
	has "$T/control" "sent 3 first 1"
	is "$(count $BAD:$PORT udp)" 2
	net_in "udp://$GOOD:$PORT" "netprobe mmsg $GOOD $BAD $PORT"
	out_is "$(printf 'sent 1 first 1\nbad first ECONNREFUSED')"
	is "$(count $BAD:$PORT udp)" 2
}

@test "AF_UNSPEC dissolves and opens nothing" {
	both
	is "$("$HELPERS/netprobe" unspec $GOOD $BAD $PORT)" "ok ok ok EISCONN"
	is "$(count $BAD:$PORT tcp)" 1
	net_in "tcp://$GOOD:$PORT" "netprobe unspec $GOOD $BAD $PORT"
	out_is "ok ok ECONNREFUSED ok"
	is "$(count $BAD:$PORT tcp)" 1
}

@test "options, fast open, v4-mapped and zero addresses lead nowhere; errors are the kernel's" {
	serve 127.0.0.1:$PORT $BAD:$PORT
	"$HELPERS/netprobe" options $BAD $PORT >"$T/control"
	has "$T/control" "mapped ok"
	has "$T/control" "zero ok"
	before=$(count 127.0.0.1:$PORT tcp)
	[ "$before" -gt 0 ]
	seen=$(count $BAD:$PORT tcp)
	net_in "tcp://$GOOD:$PORT; tcp://*:$PORT" "netprobe options $BAD $PORT"
	out_is "IP_OPTIONS EPERM
SO_BINDTODEVICE EPERM
fastopen EPERM
deferred ok
connect ECONNREFUSED
mapped ECONNREFUSED
zero ECONNREFUSED
zero6 ECONNREFUSED
short EINVAL
long EINVAL
fault EFAULT
badfd EBADF
notsock ENOTSOCK"
	is "$(count $BAD:$PORT tcp)" "$seen"
	is "$(count 127.0.0.1:$PORT tcp)" "$before"
}

@test "one destination that hangs slows no other connect" {
	serve $GOOD:$PORT dead:127.0.0.9:$PORT
	net_in "tcp://$GOOD:$PORT; tcp://127.0.0.9:$PORT" "netprobe hang 127.0.0.9 $GOOD $PORT 2000"
	cat "$T/out"
	alone=$(field "$(sed -n 1p "$T/out")" median)
	beside=$(field "$(sed -n 2p "$T/out")" median)
	is "$(field "$(sed -n 2p "$T/out")" failed)" 0
	awk -v a="$alone" -v b="$beside" 'BEGIN { exit !(b < 2 * a + 20) }'
}

@test "a connect that hangs is ended by a signal, restarted with SA_RESTART, and killed" {
	serve $GOOD:$PORT dead:127.0.0.9:$PORT
	is "$("$HELPERS/netprobe" interrupt 127.0.0.9 $PORT)" "EINTR 1
restarted waits
killed 1"
	net_in "tcp://127.0.0.9:$PORT" "netprobe interrupt 127.0.0.9 $PORT"
	out_is "EINTR 1
restarted waits
killed 1"
}

@test "non-blocking sockets and SO_SNDTIMEO are as the kernel has them" {
	serve $GOOD:$PORT dead:127.0.0.9:$PORT
	want=$("$HELPERS/netprobe" nonblock $GOOD 127.0.0.9 $PORT)
	net_in "tcp://$GOOD:$PORT; tcp://127.0.0.9:$PORT" \
		"netprobe nonblock $GOOD 127.0.0.9 $PORT; netprobe timeout 127.0.0.9 $PORT"
	out_is "$want
$("$HELPERS/netprobe" timeout 127.0.0.9 $PORT)"
}

@test "1 000 connects at the same time" {
	serve $GOOD:$PORT
	net_in "tcp://$GOOD:$PORT" "netprobe many $GOOD $PORT 1000"
	out_is "ok 1000 of 1000"
	is "$(count $GOOD:$PORT tcp)" 1000
}

@test "processes that end in the middle of connects leave nothing behind, and the others go on" {
	LIMIT=60
	serve $GOOD:$PORT dead:127.0.0.9:$PORT
	started "while [ ! -e /go ]; do sleep 0.05; done; netprobe exitrace $GOOD $BAD 127.0.0.9 $PORT 300; probe tcp $GOOD $PORT; sleep 30" \
		".annotations[\"io.sandlock.network.allow\"] = \"tcp://$GOOD:$PORT; tcp://127.0.0.9:$PORT\""
	cp "$HELPERS/netprobe" "$T/$ID/rootfs/bin/netprobe"
	fds=$(fds_of "$(pid_of "$ID")")
	touch "$T/$ID/rootfs/go"
	eventually 50 grep -q ok "$T/$ID.out"
	is "$(cat "$T/$ID.out")" "$(printf 'ended 300 of 300\nok')"
	# What was parked for them is let go within a tick or two.
	sleep 0.3
	[ "$(fds_of "$(pid_of "$ID")")" -le $((fds + 1)) ]
	rt kill "$ID" KILL
	wait_state "$ID" stopped 2
	rt delete --force "$ID"
}

@test "sockets that were dup'ed, inherited or passed are judged like any other" {
	both
	debian=$("$BATS_TEST_DIRNAME/../images/debian")/rootfs
	cat >"$T/passed.py" <<END
import errno, os, socket
def go(s, host):
    try: s.connect((host, $PORT)); return 'ok'
    except OSError as e: return errno.errorcode[e.errno]
s = socket.socket()
print(go(s.dup(), '$BAD'), flush=True)
inherited = socket.socket()
if os.fork() == 0:
    print(go(inherited, '$BAD'), flush=True)
    os._exit(0)
os.wait()
a, b = socket.socketpair()
if os.fork() == 0:
    made = socket.socket()
    socket.send_fds(a, [b'x'], [made.fileno()])
    os._exit(0)
os.wait()
_, fds, _, _ = socket.recv_fds(b, 1, 1)
p = socket.socket(fileno=fds[0])
print(go(p.dup(), '$BAD'), go(p, '$GOOD'))
END
	timeout 10 python3 "$T/passed.py" >"$T/control"
	is "$(cat "$T/control")" "$(printf 'ok\nok\nok EISCONN')"
	seen=$(count $BAD:$PORT tcp)
	mkdir "$T/d"
	jq --arg root "$debian" --arg mark "SANDLOCK_TEST_MARK=$MARK" ".process.args = [\"python3\", \"\"] |
		.process.env += [\$mark, \"PATH=/usr/bin:/bin\"] | .root = {path: \$root, readonly: true} |
		.mounts += [{destination: \"/mnt\", type: \"bind\", source: \"$T\", options: [\"rbind\", \"ro\"]}] |
		.process.args[1] = \"/mnt/passed.py\" |
		.annotations[\"io.sandlock.network.allow\"] = \"tcp://$GOOD:$PORT\"" "$HARNESS_DIR/config.json" >"$T/d/config.json"
	run_bundle "$T/d"
	ok
	out_is "$(printf 'ECONNREFUSED\nECONNREFUSED\nECONNREFUSED ok')"
	is "$(count $BAD:$PORT tcp)" "$seen"
}
