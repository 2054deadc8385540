#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bind(2) on a stack that is shared: a port has one pod; with port_remap a taken one is replaced,
# and the container does not notice. Whether a client can connect decides, not what a call returned.
load lib

# Away from the range that replaces ports, and from what clients get.
PORT=$((10000 + $$ % 9000))

REMAP='.annotations["io.sandlock.network.port_remap"] = "true"'
UDP='.annotations["io.sandlock.network.allow"] = "udp://127.0.0.0/8"'
POD='.annotations["io.kubernetes.cri.sandbox-id"] = "pod-'$$'"'
BARE='.process.capabilities = {} | .process.user = {"uid": 1000, "gid": 1000}'

# A root with the helper, which is copied once for all containers of a test.
equip() {
	mkdir -p "$1"
	[ -e "$1/rootfs" ] || cp -a "$(busybox_root)" "$1/rootfs"
	cp "$HELPERS/sockets" "$1/rootfs/bin/sockets"
}

# in_container STEPS [JQ]: run to its end, the output in $T/out.
in_container() {
	equip "$T/b"
	net_script "$1" "${2:-.}"
}

net_script() {
	sh_in "exec sockets $1" "$2"
}

# background NAME STEPS [JQ]: starts a container, whose output is in its root.
background() {
	new_id
	equip "$T/$ID"
	go_on "exec sockets $2 > /said" "${3:-.}"
	eval "$1=$ID"
}

# go_on SCRIPT JQ: the container $ID of bundle $T/$ID.
go_on() {
	bundle "$T/$ID" "$2"
	jq --arg s "$1" '.process.args = ["sh", "-c", $s]' "$T/$ID/config.json" >"$T/$ID/c"
	mv "$T/$ID/c" "$T/$ID/config.json"
	create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
}

said() {
	cat "$T/$1/rootfs/said"
}

# on_host STEPS...: runs the steps outside of any container, until the test ends.
on_host() {
	"$HELPERS/sockets" "$@" "touch $T/host-ready" 'sleep 60000' >"$T/host.out" 2>&1 3>&- &
	SERVER=$!
	eventually 5 test -e "$T/host-ready"
}

ports() {
	rt state "$1"
	ok
	jq -c '[.ports[]? | [.protocol, .containerPort, .hostPort]]' "$T/out"
}

real_port() {
	rt state "$1"
	jq ".ports[0].hostPort" "$T/out"
}

# ready ID TEXT: waits until the container has printed the text.
ready() {
	eventually 5 grep -q "$2" "$T/$1/rootfs/said"
}

@test "a port that a host process shares is not shared with a container" {
	on_host tcp4 reuseport "bind 127.0.0.1 $PORT" listen
	# The control: a process of the same user outside takes half of the connections.
	run "$HELPERS/sockets" tcp4 reuseport "bind 127.0.0.1 $PORT" listen
	[ "$output" = "$(printf 'bind ok\nlisten ok')" ]
	in_container "tcp4 reuseport 'bind 127.0.0.1 $PORT' close tcp4 reuseport 'bind 0.0.0.0 $PORT' close tcp6 reuseport 'bind :: $PORT' close tcp6 v6only reuseport 'bind :: $PORT' close tcp6 v6only 'bind :: $PORT'"
	out_is "$(printf 'bind EADDRINUSE\nbind EADDRINUSE\nbind EADDRINUSE\nbind EADDRINUSE\nbind ok')"
}

@test "nor one that is bound and does not listen yet" {
	on_host tcp4 reuseport "bind 0.0.0.0 $PORT"
	run "$HELPERS/sockets" tcp4 reuseport "bind 0.0.0.0 $PORT"
	[ "$output" = "bind ok" ]
	in_container "tcp4 reuseport 'bind 0.0.0.0 $PORT'"
	out_is 'bind EADDRINUSE'
}

@test "datagrams: SO_REUSEADDR does not take a port over" {
	on_host udp4 reuseaddr "bind 127.0.0.1 $PORT"
	run "$HELPERS/sockets" udp4 reuseaddr "bind 127.0.0.1 $PORT"
	[ "$output" = "bind ok" ]
	in_container "udp4 reuseaddr 'bind 127.0.0.1 $PORT' close udp6 dual reuseaddr 'bind :: $PORT' close udp4 reuseport 'bind 0.0.0.0 $PORT'" "$UDP"
	out_is "$(printf 'bind EADDRINUSE\nbind EADDRINUSE\nbind EADDRINUSE')"
}

@test "another pod's port is not shared; the own pod's is" {
	background one "tcp4 reuseport 'bind 127.0.0.1 $PORT' listen 'sleep 60000'" "$POD"
	ready "$one" 'listen ok'
	in_container "tcp4 reuseport 'bind 127.0.0.1 $PORT'"
	out_is 'bind EADDRINUSE'
	in_container "tcp4 reuseport 'bind 127.0.0.1 $PORT' listen tcp4 reuseport 'bind 127.0.0.1 $PORT' tcp4 'bind 127.0.0.1 $PORT'" "$POD"
	out_is "$(printf 'bind ok\nlisten ok\nbind ok\nbind EADDRINUSE')"
}

flip_binds() {
	run "$HELPERS/sockets" tcp4 "flip 127.0.0.1 $((PORT + 1)) $PORT 3000"
	[[ $output == "flip bound "* && $output != "flip bound 0" ]]
}

@test "the port that is bound is the one that was judged: a thread flips it" {
	on_host tcp4 reuseport "bind 127.0.0.1 $PORT" listen
	# Without a sandbox it is bound at times. On a busy machine that takes many attempts.
	eventually 30 flip_binds
	in_container "tcp4 'flip 127.0.0.1 $((PORT + 1)) $PORT 3000'"
	out_is 'flip bound 0'
}

@test "what bind says is what the kernel says" {
	local steps=(tcp4 "bind 192.0.2.1 $PORT" "bind 127.0.0.1 $PORT" "bind 127.0.0.1 $((PORT + 1))"
		listen "tcp4" "bind 127.0.0.1 $PORT" "close" tcp4 "bind ::1 $PORT" tcp6 "bind 127.0.0.1 $PORT"
		tcp4 "bind 0.0.0.0 0" tcp6 v6only "bind ::ffff:127.0.0.1 $PORT" tcp6 "bind ::ffff:127.0.0.1 $((PORT + 2))"
		name unix "bind /u.sock" "bind /v.sock" close unix "bind /u.sock" unix "bind /no/u.sock" "bind 127.0.0.1 1")
	local quoted
	printf -v quoted "'%s' " "${steps[@]}"
	in_container "$quoted"
	cp "$T/out" "$T/inside"
	rm -f "$T/b/rootfs/u.sock" "$T/b/rootfs/v.sock"
	chroot "$T/b/rootfs" /bin/sockets "${steps[@]}" >"$T/outside"
	diff "$T/outside" "$T/inside"
}

@test "port 0 gives no port that may not be asked for" {
	local first last only other
	read -r first last </proc/sys/net/ipv4/ip_local_port_range
	only=$(((first + last) / 2))
	# The option narrows the machine's own range.
	other=$((only + 10 + $$ % 1000))
	local deny=".annotations[\"io.sandlock.network.deny_bind\"] = \"1-$((only - 1)),$((only + 4))-65535\""
	# The control arm: the option has the kernel give just the port that is wanted.
	run "$HELPERS/sockets" tcp4 "range $other $other" "bind 127.0.0.1 0" name
	[ "$output" = "$(printf 'range ok\nbind ok\nname 127.0.0.1 %s' $other)" ]
	in_container "tcp4 'range $other $other' 'bind 127.0.0.1 0' name tcp6 'bind ::1 0' name tcp4 'bind 127.0.0.1 $other'" "$deny"
	cat "$T/out"
	is "$(grep -v ^name "$T/out")" "$(printf 'range ENOPROTOOPT\nbind ok\nbind ok\nbind EACCES')"
	for port in $(sed -n 's/^name .* //p' "$T/out"); do
		[ "$port" -ge $only ] && [ "$port" -le $((only + 3)) ]
	done
	# No port is left: the error is the kernel's.
	in_container "tcp4 'bind 127.0.0.1 0'" ".annotations[\"io.sandlock.network.deny_bind\"] = \"1-65535\""
	out_is 'bind EADDRINUSE'
}

@test "the ports that may be bound: EACCES for others, audited" {
	local only=".annotations[\"io.sandlock.network.allow_bind\"] = \"$PORT\""
	in_container "tcp4 'bind 127.0.0.1 $((PORT + 1))' 'bind 127.0.0.1 $PORT' tcp4 'bind 127.0.0.1 0'" "$only"
	out_is "$(printf 'bind EACCES\nbind ok\nbind EACCES')"
	background id "tcp4 'bind 127.0.0.1 $((PORT + 1))' 'sleep 60000'" "$only"
	ready "$id" EACCES
	is "$(tail -1 "$ROOT/$id/audit.log" | jq -r '.syscall + " " + .destination')" "bind tcp://127.0.0.1:$((PORT + 1))"
}

@test "listen without a bind: a port that the kernel gives is judged like one that is asked for" {
	local only=".annotations[\"io.sandlock.network.allow_bind\"] = \"$PORT\""
	# The control arm, without a container and without a limit.
	is "$("$HELPERS/sockets" tcp4 listen)" "listen ok"
	in_container "tcp4 listen"
	out_is 'listen ok'
	in_container "tcp4 listen tcp6 listen tcp4 'bind 127.0.0.1 $PORT' listen unix 'bind /tmp/l.sock' listen" "$only"
	out_is "$(printf 'listen EACCES\nlisten EACCES\nbind ok\nlisten ok\nbind ok\nlisten ok')"
	in_container "tcp4 listen" ".annotations[\"io.sandlock.network.allow_bind\"] = \"0\""
	out_is 'listen ok'
	in_container "tcp4 listen" ".annotations[\"io.sandlock.network.deny_bind\"] = \"0\""
	out_is 'listen EACCES'
	# What the kernel would give is left out: it has not been given.
	in_container "tcp4 listen" ".annotations[\"io.sandlock.network.deny_bind\"] = \"1-65535\""
	out_is 'listen EADDRINUSE'
}

@test "ports below 1024: the capability or the sysctl" {
	local low=$((900 + RANDOM % 100)) start='.linux.sysctl = {"net.ipv4.ip_unprivileged_port_start": "%s"}'
	in_container "tcp4 'bind 127.0.0.1 $low'" "$BARE"
	out_is 'bind EACCES'
	in_container "tcp4 'bind 127.0.0.1 $low'" "$BARE | $(printf "$start" 0)"
	out_is 'bind ok'
	in_container "tcp4 'bind 127.0.0.1 $low'"
	out_is 'bind ok'
	in_container "tcp4 'bind 127.0.0.1 1500' 'bind 127.0.0.1 2000'" "$BARE | $(printf "$start" 2000)"
	out_is "$(printf 'bind EACCES\nbind ok')"
}

@test "a port that is taken is replaced, and the container does not notice" {
	on_host tcp4 "bind 127.0.0.1 $PORT" listen
	in_container "tcp4 'bind 127.0.0.1 $PORT'"
	out_is 'bind EADDRINUSE'
	background id "tcp4 'bind 127.0.0.1 $PORT' listen name tcp4 'connect 127.0.0.1 $PORT' peer 'use 0' accept name 'send hello' 'use 1' recv 'use 0' accept 'send world' 'sleep 60000'" "$REMAP"
	ready "$id" 'recv hello'
	is "$(said "$id" | sed '/^accept/s/ [0-9]*$//')" "$(printf '%s\n' 'bind ok' 'listen ok' "name 127.0.0.1 $PORT" 'connect ok' "peer 127.0.0.1 $PORT" 'accept 127.0.0.1' "name 127.0.0.1 $PORT" 'send ok' 'recv hello')"
	real=$(real_port "$id")
	[ "$real" -ge 20000 ] && [ "$real" -le 29999 ]
	is "$(ports "$id")" "[[\"tcp\",$PORT,$real]]"
	python3 "$REPO/tests/lib/strict_json.py" state "$T/out"
	# From outside the port has its real number.
	run "$HELPERS/sockets" tcp4 "connect 127.0.0.1 $real" recv
	[ "${lines[1]}" = "recv world" ]
}

@test "/proc/net lists what is bound, by the numbers that the container knows" {
	local all="$REMAP | .annotations[\"io.sandlock.network.allow\"] = \"udp://127.0.0.0/8; udp://[::1]\""
	on_host tcp4 "bind 0.0.0.0 $PORT" listen udp6 v6only "bind ::1 $PORT"
	equip "$T/b"
	sh_in "sockets tcp4 'bind 127.0.0.1 $PORT' listen tcp6 v6only 'bind ::1 $((PORT + 1))' listen udp4 'bind 0.0.0.0 $PORT' udp6 v6only 'bind ::1 $PORT' 'touch /up' 'sleep 5000' >/said &
		while [ ! -e /up ]; do sleep 0.05; done
		for f in tcp tcp6 udp udp6; do awk -v f=\$f 'NR > 1 { print f, \$2, \$4 }' /proc/net/\$f; done
		netstat -lnt | awk '/^tcp/ { print \$1, \$4, \$6 }'; kill \$!" "$all"
	local hex hex1
	hex=$(printf %04X $PORT) hex1=$(printf %04X $((PORT + 1)))
	out_is "$(printf '%s\n' "tcp 0100007F:$hex 0A" "tcp6 00000000000000000000000001000000:$hex1 0A" \
		"udp 00000000:$hex 07" "udp6 00000000000000000000000001000000:$hex 07" \
		"tcp 127.0.0.1:$PORT LISTEN" "tcp ::1:$((PORT + 1)) LISTEN")"
}

@test "a port that is free stays what it is" {
	background id "tcp4 'bind 127.0.0.1 $PORT' listen name 'sleep 60000'" "$REMAP"
	ready "$id" name
	is "$(ports "$id")" "[[\"tcp\",$PORT,$PORT]]"
}

@test "datagrams: the sender is who the container knows, whichever way they are received" {
	local how
	on_host udp4 "bind 127.0.0.1 $PORT" udp4 "bind 127.0.0.1 $((PORT + 1))"
	for how in from frommsg frommmsg; do
		# Two sockets of the container whose ports are both taken outside, and one that is free.
		in_container "udp4 'bind 127.0.0.1 $PORT' name udp4 'bind 127.0.0.1 $((PORT + 1))' udp4 'bind 127.0.0.1 $((PORT + 2))' 'use 1' 'to 127.0.0.1 $PORT ask' 'use 0' $how 'to 127.0.0.1 $((PORT + 1)) answer' 'use 1' $how 'use 2' 'to 127.0.0.1 $PORT third' 'use 0' $how nonblock $how" "$UDP | $REMAP"
		out_is "$(printf '%s\n' 'bind ok' "name 127.0.0.1 $PORT" 'bind ok' 'bind ok' 'to ok' \
			"$how ask 127.0.0.1 $((PORT + 1))" 'to ok' "$how answer 127.0.0.1 $PORT" 'to ok' \
			"$how third 127.0.0.1 $((PORT + 2))" "$how EAGAIN")"
	done
}

@test "a datagram that comes while the receiver waits, and a signal" {
	on_host udp4 "bind 127.0.0.1 $PORT" udp4 "bind 127.0.0.1 $((PORT + 1))"
	background id "udp4 'bind 127.0.0.1 $PORT' from from 'sleep 60000'" "$UDP | $REMAP | $POD"
	ready "$id" bind
	in_container "udp4 'bind 127.0.0.1 $((PORT + 1))' 'sleep 300' 'to 127.0.0.1 $PORT late'" "$UDP | $REMAP | $POD"
	ready "$id" "from late 127.0.0.1 $((PORT + 1))"
	# It waits again, and is gone at once when it is told to go.
	rt kill "$id" KILL
	ok
	eventually 2 eval '[ "$(state_word "$id")" = stopped ]'
}

# The processor time that a process uses in one second, in hundredths of a second.
busy() {
	local pid before
	pid=$(pid_of "$1")
	before=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	sleep 1
	echo $(($(awk '{ print $14 + $15 }' "/proc/$pid/stat") - before))
}

@test "who is not root reaches what it has bound" {
	in_container "tcp4 reuseport 'bind 127.0.0.1 $PORT' listen tcp4 reuseport 'bind 127.0.0.1 $PORT' tcp4 'connect 127.0.0.1 $PORT'" "$UDP | $BARE"
	out_is "$(printf 'bind ok\nlisten ok\nbind ok\nconnect ok')"
}

@test "a receiver whose socket is shut down has the end" {
	on_host udp4 "bind 127.0.0.1 $PORT"
	in_container "udp4 'bind 127.0.0.1 $PORT' 'shut 200' from" "$UDP | $REMAP"
	"$HELPERS/sockets" udp4 "bind 127.0.0.1 $((PORT + 1))" 'shut 200' from >"$T/outside"
	diff "$T/outside" "$T/out"
}

@test "a message that waits for room costs nothing meanwhile" {
	background id "unixd 'bind /d' unixd 'touch /up' 'msgs /d 100000'" "$UDP"
	eventually 5 test -e "$T/$id/rootfs/up"
	sleep 1
	is "$(said "$id")" "bind ok"
	[ "$(busy "$id")" -le 20 ]
}

@test "a unix socket takes all that it is given, and large datagrams" {
	in_container "'bulk 1000000'" "$UDP"
	out_is "$(printf 'bulk 1000000\ndgram 100000')"
}

@test "a receiver that is killed has left its port when the next one binds it" {
	local one="sockets udp4 'bind 127.0.0.1 $PORT' 'touch /one' from"
	on_host udp4 "bind 127.0.0.1 $PORT"
	new_id
	equip "$T/$ID"
	go_on "exec >/said; $one & while [ ! -e /go ]; do sleep 0.05; done
		for i in 1 2 3; do kill -9 \$!; wait; $one & sleep 0.13; done; touch /two; wait" "$UDP | $REMAP"
	eventually 5 test -e "$T/$ID/rootfs/one"
	real=$(real_port "$ID")
	sleep 0.3
	touch "$T/$ID/rootfs/go"
	eventually 5 test -e "$T/$ID/rootfs/two"
	is "$(said "$ID" | sort -u)" 'bind ok'
	is "$(real_port "$ID")" "$real"
}

@test "what the container has bound and left is no obstacle to a rule" {
	node_policy '{"network": {"localRules": "allow"}}'
	background id "tcp4 'bind 127.0.0.1 $PORT' listen close 'touch /closed' 'wait /go' tcp4 'connect 127.0.0.1 $PORT' 'sleep 60000'" "$REMAP | .annotations[\"io.sandlock.network.allow\"] = \"tcp://127.0.0.1:$PORT\""
	eventually 5 test -e "$T/$id/rootfs/closed"
	on_host tcp4 "bind 127.0.0.1 $PORT" listen
	touch "$T/$id/rootfs/go"
	ready "$id" connect
	is "$(said "$id" | tail -1)" 'connect ok'
}

@test "a client that has bound a port which is taken: accept names the one it asked for" {
	on_host tcp4 "bind 127.0.0.1 $PORT" listen
	in_container "tcp4 'bind 127.0.0.1 $((PORT + 1))' listen tcp4 'bind 127.0.0.1 $PORT' 'connect 127.0.0.1 $((PORT + 1))' name 'use 0' accept peer" "$REMAP"
	out_is "$(printf '%s\n' 'bind ok' 'listen ok' 'bind ok' 'connect ok' "name 127.0.0.1 $PORT" "accept 127.0.0.1 $PORT" "peer 127.0.0.1 $PORT")"
}

@test "the range of the node; it refuses, or gives without being asked" {
	node_policy '{"network": {"portRange": "31000-31001", "portRemap": "default"}}'
	on_host tcp4 "bind 0.0.0.0 $PORT" listen
	background one "tcp4 'bind 0.0.0.0 $PORT' listen 'sleep 60000'"
	background two "tcp4 'bind 0.0.0.0 $PORT' listen 'sleep 60000'"
	ready "$one" listen
	ready "$two" listen
	is "$( (real_port "$one"; real_port "$two") | sort | xargs)" "31000 31001"
	in_container "tcp4 'bind 0.0.0.0 $PORT'"
	out_is 'bind EADDRINUSE'
	node_policy '{"network": {"portRemap": "refuse"}}'
	refused '{"io.sandlock.network.port_remap": "true"}' 'network.portRemap = refuse, line 1'
}

@test "one port space for a pod: no second binding, and localhost reaches it" {
	on_host tcp4 "bind 0.0.0.0 $PORT" listen
	background one "tcp4 'bind 0.0.0.0 $PORT' listen accept 'send sibling' 'sleep 60000'" "$REMAP | $POD"
	ready "$one" listen
	in_container "tcp4 'bind 0.0.0.0 $PORT' tcp4 'connect 127.0.0.1 $PORT' peer recv" "$REMAP | $POD"
	out_is "$(printf '%s\n' 'bind EADDRINUSE' 'connect ok' "peer 127.0.0.1 $PORT" 'recv sibling')"
	# Its number on the stack means nothing inside, and is closed to other pods.
	real=$(real_port "$one")
	in_container "tcp4 'connect 127.0.0.1 $real'" "$REMAP | $POD"
	out_is 'connect ECONNREFUSED'
	in_container "tcp4 'connect 127.0.0.1 $real'" "$REMAP"
	out_is 'connect EACCES'
}

# holders_of FILE... PORT: sockets that have it, in the tables of the stack.
holders_of() {
	local hex files=("${@:1:$#-1}")
	hex=$(printf ':%04X' "${!#}")
	cat "${files[@]/#//proc/net/}" | awk -v p="$hex" '$2 ~ p "$" && ($4 == "0A" || $4 == "07")' | wc -l
}

@test "a port that stands for another pod's is not shared or taken over by its number on the stack" {
	local tcp udp_port udp="$UDP | $REMAP"
	on_host tcp4 "bind 0.0.0.0 $PORT" listen udp4 "bind 0.0.0.0 $PORT"
	background one "tcp4 reuseport 'bind 127.0.0.1 $PORT' listen udp4 reuseport reuseaddr 'bind 127.0.0.1 $PORT' 'touch /up' 'sleep 60000'" "$udp"
	eventually 5 test -e "$T/$one/rootfs/up"
	rt state "$one"
	tcp=$(jq '.ports[] | select(.protocol == "tcp").hostPort' "$T/out")
	udp_port=$(jq '.ports[] | select(.protocol == "udp").hostPort' "$T/out")
	# The control: the kernel lets who has the same user share.
	run timeout 5 "$HELPERS/sockets" tcp4 reuseport "bind 127.0.0.1 $tcp" listen udp4 reuseport reuseaddr "bind 127.0.0.1 $udp_port"
	is "$output" "$(printf 'bind ok\nlisten ok\nbind ok')"
	background two "tcp4 reuseport 'bind 127.0.0.1 $tcp' listen tcp4 reuseport reuseaddr 'bind 0.0.0.0 $tcp' listen tcp6 dual reuseport 'bind :: $tcp' listen tcp6 reuseport 'bind ::ffff:127.0.0.1 $tcp' listen udp4 reuseport reuseaddr 'bind 127.0.0.1 $udp_port' udp4 reuseaddr 'bind 0.0.0.0 $udp_port' udp6 dual reuseaddr 'bind :: $udp_port' 'touch /over' 'sleep 60000'" "$udp"
	eventually 10 test -e "$T/$two/rootfs/over"
	said "$two"
	is "$(holders_of tcp tcp6 "$tcp") $(holders_of udp udp6 "$udp_port")" "1 1"
	# What it was given instead is its own, and not what the first one has.
	ports "$two"
	is "$(ports "$two" | jq -c "map(select(.[0] == \"tcp\" and .[2] == $tcp or .[0] == \"udp\" and .[2] == $udp_port))")" "[]"
	# When the first holder is gone, anybody can bind the port.
	rt delete --force "$one"
	in_container "tcp4 reuseport 'bind 127.0.0.1 $tcp' listen" "$REMAP"
	out_is "$(printf 'bind ok\nlisten ok')"
}

@test "both families, one after the other and at once" {
	on_host tcp6 dual "bind :: $PORT" listen
	background id "tcp4 'bind 0.0.0.0 $PORT' listen tcp6 v6only 'bind :: $PORT' listen tcp4 'connect 127.0.0.1 $PORT' peer tcp6 'connect ::1 $PORT' peer tcp6 'connect ::ffff:127.0.0.1 $PORT' peer 'sleep 60000'" "$REMAP"
	ready "$id" '::ffff'
	is "$(said "$id")" "$(printf '%s\n' 'bind ok' 'listen ok' 'bind ok' 'listen ok' 'connect ok' "peer 127.0.0.1 $PORT" 'connect ok' "peer ::1 $PORT" 'connect ok' "peer ::ffff:127.0.0.1 $PORT")"
	background dual "tcp6 dual 'bind :: $((PORT + 1))' listen name 'sleep 60000'" "$REMAP"
	ready "$dual" name
	is "$(ports "$dual")" "[[\"tcp\",$((PORT + 1)),$((PORT + 1))]]"
}

@test "what is closed is free again" {
	on_host tcp4 "bind 127.0.0.1 $PORT" listen
	background id "tcp4 'bind 127.0.0.1 $PORT' listen close 'touch /closed' 'wait /go' tcp4 'bind 127.0.0.1 $PORT' listen name 'sleep 60000'" "$REMAP"
	eventually 5 test -e "$T/$id/rootfs/closed"
	is "$(ports "$id")" "[]"
	kill "$SERVER"
	wait "$SERVER" || true
	touch "$T/$id/rootfs/go"
	ready "$id" name
	is "$(ports "$id")" "[[\"tcp\",$PORT,$PORT]]"
}

@test "the file for a reverse proxy; nothing is left of it, whatever ends how" {
	on_host tcp4 "bind 127.0.0.1 $PORT" listen
	background id "tcp4 'bind 127.0.0.1 $PORT' listen 'sleep 60000'" "$REMAP | $POD"
	ready "$id" listen
	is "$(jq -r '[.id, .pod, .ports[0].hostIP, .ports[0].containerPort] | join(" ")' "$ROOT/$id/ports.json")" \
		"$id pod-$$ 127.0.0.1 $PORT"
	kill -9 "$(pid_of "$id")"
	eventually 5 eval '[ "$(state_word "$id")" = stopped ]'
	rt state "$id"
	is "$(jq .ports "$T/out")" null
	rt delete --force "$id"
	ok
	[ ! -e "$ROOT/$id" ]
}

# debian NAME SCRIPT: the same of the Debian image.
debian() {
	local root
	root=$("$BATS_TEST_DIRNAME/../images/debian")/rootfs
	new_id
	go_on "$2" ".root = {\"path\": \"$root\", \"readonly\": true} | $REMAP |
		.process.env += [\"PATH=/usr/sbin:/usr/bin:/sbin:/bin\"] |
		.mounts += [{destination: \"/tmp\", type: \"tmpfs\", source: \"tmpfs\", options: [\"mode=1777\"]}]"
	eval "$1=$ID"
}

answers() {
	local real
	real=$(real_port "$1")
	[ "$real" != null ] && eval "$2"
}

@test "a port is the pod's own also while nobody listens: no second binding" {
	in_container "tcp4 'bind 127.0.0.1 $PORT' tcp4 'bind 127.0.0.1 $PORT' tcp4 'bind 127.0.0.2 $PORT'" "$REMAP"
	out_is "$(printf 'bind ok\nbind EADDRINUSE\nbind ok')"
}

# While one container binds, the others wait; each of these cases once took many seconds.
@test "a range that is taken, and a crowd on one port, hold nobody up" {
	local alias="127.77.$((RANDOM % 250)).1"
	on_host "hold $alias 30000 32700 1" tcp4 reuseport "bind $alias $PORT" listen
	grep -qx 'hold 2701' "$T/host.out"
	node_policy '{"network": {"portRange": "30000-32700"}}'
	SECONDS=0
	in_container "tcp4 reuseport 'bind $alias $PORT'" "$REMAP"
	out_is 'bind EADDRINUSE'
	in_container "'hold $alias $((PORT + 1)) $((PORT + 1)) 400'" '.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 1000, hard: 1000}]'
	out_is 'hold 400'
	[ "$SECONDS" -le 10 ]
}

@test "redis and nginx twice, each in a pod of its own, on the same port" {
	local redis="exec redis-server --port $PORT --save '' --dir /tmp --protected-mode no"
	local nginx="mkdir /tmp/n; printf 'daemon off; pid /tmp/n/pid; error_log stderr; events {} http { access_log off; client_body_temp_path /tmp/n; proxy_temp_path /tmp/n; fastcgi_temp_path /tmp/n; uwsgi_temp_path /tmp/n; scgi_temp_path /tmp/n; server { listen $PORT reuseport; return 200 \$server_port; } }' >/tmp/n/conf; exec nginx -e stderr -c /tmp/n/conf"
	debian one "$redis"
	debian two "$redis"
	eventually 20 answers "$one" '[ "$(redis-cli -p "$real" ping)" = PONG ]'
	eventually 20 answers "$two" '[ "$(redis-cli -p "$real" set k v)" = OK ]'
	is "$(redis-cli -p "$(real_port "$one")" get k)" ""
	debian three "$nginx"
	debian four "$nginx"
	# nginx sees the port number of its configuration.
	eventually 20 answers "$three" '[ "$(curl -s "http://127.0.0.1:$real/")" = '"$PORT"' ]'
	eventually 20 answers "$four" '[ "$(curl -s "http://127.0.0.1:$real/")" = '"$PORT"' ]'
	is "$(for i in $one $two $three $four; do real_port "$i"; done | sort -u | wc -l)" 4
}
