# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What network rules cost: connects and datagrams to a server on a loopback alias, bare, with
# a rule that Landlock enforces alone, and with rules that the supervisor decides; without a rule
# connects within the container, and such that are refused, beside many foreign processes.

NET_ADDRESS=127.0.0.2
NET_PORT=17010

# net_client NAME COMMAND...: netprobe, bare or under the rules of the name; its output.
net_client() {
	local name=$1 rules policy='{"network": {"localRules": "allow"}}'
	shift
	case $name in
	bare)
		$(timed) "$NETPROBE" "$@"
		return
		;;
	landlock)
		rules="tcp://:$NET_PORT"
		policy='{"network": {"portRules": "landlock"}}'
		;;
	behalf) rules="tcp://$NET_ADDRESS:$NET_PORT" ;;
	udp) rules="udp://$NET_ADDRESS:$NET_PORT" ;;
	runc | none) rules= ;;
	esac
	echo "$policy" >"$WORK/node.json"
	make_config "$BUSYBOX_BUNDLE" ".process.args = [\"/bin/netprobe\"] + \$ARGS.positional |
		.linux.namespaces |= map(select(.type != \"network\")) |
		if \"$rules\" == \"\" then . else .annotations[\"io.sandlock.network.allow\"] = \"$rules\" end" "$@"
	[ "$name" = runc ] || name=ours
	rt "$name" run --bundle "$BUSYBOX_BUNDLE" net </dev/null
}

# net_figure NAME FIGURE WORD COMMAND...: the number behind the word.
net_figure() {
	local name=$1 figure=$2 word=$3
	shift 3
	add_figure "$figure" "$(net_client "$name" "$@" | sed -n "s/.*\\b$word \\([0-9.]*\\).*/\\1/p" | head -1)"
}

# Of other people, who hold no port that is asked for.
NET_FOREIGN=2000

net_foreign() {
	"$NETPROBE" idle "$NET_FOREIGN" >"$WORK/net-idle" &
	remember_pid $!
	until grep -q up "$WORK/net-idle"; do sleep 0.05; done
}

bench_net() {
	local round n=${SMOKE:+200}
	n=${n:-5000}
	NETPROBE=$SANDLOCK_BUILD/tests/helpers/netprobe
	cp "$NETPROBE" "$BUSYBOX_BUNDLE/rootfs/bin/netprobe"
	"$NETPROBE" serve "$NET_ADDRESS" "$NET_PORT" >"$WORK/net-server" &
	remember_pid $!
	until grep -q up "$WORK/net-server"; do sleep 0.05; done
	for ((round = 0; round < ROUNDS; round++)); do
		net_figure bare net-connect.bare median rate "$NET_ADDRESS" "$NET_PORT" "$n"
		net_figure landlock net-landlock.ours median rate "$NET_ADDRESS" "$NET_PORT" "$n"
		net_figure behalf net-connect.ours median rate "$NET_ADDRESS" "$NET_PORT" "$n"
		net_figure bare net-rate.bare rate rate "$NET_ADDRESS" "$NET_PORT" "$n"
		net_figure behalf net-rate.ours rate rate "$NET_ADDRESS" "$NET_PORT" "$n"
		net_figure runc net-rate.runc rate rate "$NET_ADDRESS" "$NET_PORT" "$n"
		net_figure bare net-own.bare median own 127.0.0.1 "$((NET_PORT + 1))" "$n"
		net_figure none net-own.ours median own 127.0.0.1 "$((NET_PORT + 1))" "$n"
		net_figure runc net-own.runc median own 127.0.0.1 "$((NET_PORT + 1))" "$n"
		net_figure bare net-send.bare rate sendrate "$NET_ADDRESS" "$NET_PORT" "$n"
		net_figure udp net-send.ours rate sendrate "$NET_ADDRESS" "$NET_PORT" "$n"
	done
	[ -n "${SMOKE:-}" ] || net_foreign
	for ((round = 0; round < ROUNDS; round++)); do
		net_figure none net-refused.ours median rate "$NET_ADDRESS" "$NET_PORT" "$n"
	done
	cp "$WORK/figures/net-connect.bare" "$WORK/figures/net-landlock.bare"
	echo '{}' >"$WORK/node.json"
	make_config "$BUSYBOX_BUNDLE" '.process.args = ["/bin/true"]'
	row_of "connect by Landlock alone, median" us "" net-landlock
	row_of "connect on behalf, median" us "" net-connect
	row_of "connect on behalf, one by one" "1/s" ">= 0.7 runc" net-rate
	row_of "connect to the own loopback, median" us "" net-own
	row_of "connect refused beside $NET_FOREIGN processes" us "<= 100" net-refused
	row_of "datagrams on behalf" "1/s" ">= 0.25 bare" net-send
	say "connect on behalf adds $(minus "$(figure net-connect.ours)" "$(figure net-connect.bare)") us at the median (aim 30)"
}
