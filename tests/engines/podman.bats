#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# podman of Debian's packages, through conmon, with its bridge and its port mappings.
load lib
load podman

setup_file() {
	export E=$BATS_FILE_TMPDIR
	mkdir -p "$E/net.d" "$E/data"
	jq -n '{cniVersion: "0.4.0", name: "podman", plugins: [
		{type: "bridge", bridge: "cni-podman0", isGateway: true, ipMasq: true, hairpinMode: true,
		ipam: {type: "host-local", dataDir: env.E, routes: [{dst: "0.0.0.0/0"}], ranges: [[{subnet: "10.233.0.0/16", gateway: "10.233.0.1"}]]}},
		{type: "portmap", capabilities: {portMappings: true}}, {type: "firewall"}, {type: "tuning"}]}' >"$E/net.d/87-podman.conflist"
	podman_conf --root "$E/data" --runroot /run/pod --tmpdir /run/podtmp --storage-driver overlay \
		--network-config-dir "$E/net.d"
	room_open stay
	busybox_tar
	R=runc inside pod import -q "$E/busybox.tar" localhost/bb >/dev/null 2>&1
	R=runc inside pod import -q --change 'CMD ["sleep", "1000"]' "$E/busybox.tar" localhost/infra >/dev/null 2>&1
	tar -C "$("$REPO/tests/images/debian")/rootfs" -cf "$E/deb.tar" .
	R=runc inside pod import -q "$E/deb.tar" localhost/deb >/dev/null 2>&1
	rm "$E/deb.tar"
}

teardown_file() {
	room_close
}

tidy() {
	R=runc inside sh -c 'pod rm -f -t 0 -a; pod network prune -f' >/dev/null 2>&1
}

teardown() {
	tidy || true
	nothing_left
}

@test "run and exec: arguments, environment, user, status" {
	same "$(printf 'v 1000\nstatus 3\none\n5')" 'pod run --rm -e V=v --user 1000 bb sh -c "echo \$V \$(id -u); exit 3" || echo status $?
		pod run -d --name cc bb sleep 100 >/dev/null; pod exec cc sh -c "echo one >/left"; pod exec cc cat /left; pod exec cc sh -c "exit 5" || echo $?'
}

@test "--systemd=always: what podman prepares for systemd" {
	same "$(printf 'podman\n/run/lock\n/sys/fs/cgroup\n/sys/fs/cgroup')" 'pod run --rm --systemd=always bb sh -c "echo \$container; ls -d /run/lock /sys/fs/cgroup"
		pod run --rm -v /sys/fs/cgroup:/sys/fs/cgroup:ro bb ls -d /sys/fs/cgroup'
}

@test "the bridge: an address of its own and the gateway" {
	same "$(printf 'eth0 lo\n10.233.0\ndefault via 10.233.0.1 dev eth0')" 'pod run --rm bb sh -c "ls /sys/class/net | sort | xargs; ip -4 -o addr show eth0 | sed \"s/.*inet \([0-9.]*\)\.[0-9]*\/.*/\1/\"; ip route | grep default | xargs"'
}

@test "-p: reached by the mapped port, and not by the container'\''s port of the host" {
	same "$(printf 'hello\nrefused')" 'pod run -d --name cc -p 8088:80 bb nc -ll -p 80 -e /bin/echo hello >/dev/null
		a=10.233.0.1; until_ok ask $a 8088; ask $a 8088; ask 127.0.0.1 80 2>/dev/null || echo refused'
}

@test "--network none and host" {
	same "$(printf 'lo\nyes')" 'pod run --rm --network none bb ls /sys/class/net
		[ "$(pod run --rm --network host bb ip -o link | cut -d: -f2 | xargs)" = "$(ip -o link | cut -d: -f2 | xargs)" ] && echo yes'
}

@test "--network container: one address and one loopback" {
	same "$(printf 'same\nfrom cc')" 'pod run -d --name cc bb nc -ll -p 80 -e /bin/echo from cc >/dev/null
		a=$(pod exec cc ip -4 -o addr show eth0); b=$(pod run --rm --network container:cc bb ip -4 -o addr show eth0); [ "$a" = "$b" ] && echo same
		pod run --rm --network container:cc bb nc 127.0.0.1 80'
}

@test "a pod: its containers share an address and reach each other on loopback" {
	same "$(printf 'OK\nstored\nexited')" 'pod pod create --infra-image localhost/infra --name pp >/dev/null
		pod run -d --pod pp --name db deb redis-server --save "" >/dev/null; cli() { pod run --rm --pod pp deb redis-cli "$@"; }
		until_ok cli ping; cli set key stored; cli get key
		pod pod stop -t 1 pp >/dev/null; pod inspect -f "{{.State.Status}}" db; pod pod rm -f -t 0 pp >/dev/null'
}

@test "stop, start, restart, and the mapped port afterwards" {
	same "$(printf '143\nhello\nhello')" 'pod run -d --name cc -p 8088:80 bb sh -c "trap \"exit 143\" TERM; nc -ll -p 80 -e /bin/echo hello & wait" >/dev/null
		a=10.233.0.1; until_ok ask $a 8088; pod stop -t 5 cc >/dev/null; pod inspect -f "{{.State.ExitCode}}" cc; pod start cc >/dev/null; until_ok ask $a 8088; ask $a 8088
		pod restart -t 5 cc >/dev/null; until_ok ask $a 8088; ask $a 8088'
}

@test "a health check by curl of localhost" {
	same healthy 'pod run -d --name cc --health-cmd "curl -sf localhost" --health-interval disable deb nginx -g "daemon off;" >/dev/null
		until_ok pod healthcheck run cc; pod inspect -f "{{.State.Health.Status}}" cc 2>/dev/null || pod inspect -f "{{.State.Healthcheck.Status}}" cc'
}

@test "build: RUN and the image that comes of it" {
	same "$(printf 'copied\n1000')" 'build /run/b.$R'
}

@test "--userns: identity mappings and a network that podman fills after create" {
	case_of ours 'pod run --rm --uidmap 0:0:65536 --gidmap 0:0:65536 bb sh -c "ls /sys/class/net | sort | xargs; ip route | grep -c default"'
	[ "$(cat "$BATS_TEST_TMPDIR/ours")" = "$(printf 'eth0 lo\n1')" ] || { cat "$BATS_TEST_TMPDIR"/ours*; return 1; }
}

@test "--sdnotify=container: READY of the container reaches who started podman" {
	same "$(printf 'started\nREADY=1')" "/usr/bin/python3 $REPO/tests/lib/systemd.py notify /run/ready.sock >/run/heard & p=\$!
		until_ok test -S /run/ready.sock
		NOTIFY_SOCKET=/run/ready.sock pod run -d --sdnotify=container --name cc deb /usr/bin/python3 -c '
import os, socket, time
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b\"READY=1\", os.environ[\"NOTIFY_SOCKET\"])
time.sleep(100)' >/dev/null && echo started
		until_ok grep READY /run/heard; grep -o 'READY=1' /run/heard; kill \$p; rm /run/ready.sock"
}
