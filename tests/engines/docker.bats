#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docker of Debian's packages, with its bridge, its port mappings and its own containerd.
load lib

daemon() {
	mkdir -p "$E/data"
	exec dockerd --config-file "$E/daemon.json" --containerd ''
}

# daemon_json DEFAULT: builds know no other runtime than the default one.
daemon_json() {
	jq -n --arg e "$E" --arg d "$1" --arg cg "/sandlock-engines-$$" \
		--argjson dropin "$(sed "s|@SBINDIR@|$E|" "$REPO/packaging/dropins/docker.json.in")" '{
		"data-root": "\($e)/data", "exec-root": "/run/engine", pidfile: "/run/engine.pid",
		hosts: ["unix:///run/docker.sock"], bip: "10.231.7.1/24", "cgroup-parent": $cg,
		"default-address-pools": [{base: "10.232.0.0/16", size: 24}],
		"exec-opts": ["native.cgroupdriver=cgroupfs"], "default-runtime": $d,
		runtimes: ({ours: {path: "\($e)/sandlock-oci", runtimeArgs: ["--config", "\($e)/node.json"]}} + $dropin.runtimes)
	}' >"$E/daemon.json"
}

setup_file() {
	export E=$BATS_FILE_TMPDIR
	daemon_json runc
	node_json
	room_open daemon
	busybox_tar
	local i
	for i in $(seq 150); do
		! inside docker version >/dev/null 2>&1 || break
		sleep 0.1
	done
	inside docker import - bb <"$E/busybox.tar" >/dev/null
	tar -C "$("$REPO/tests/images/debian")/rootfs" -c . | inside docker import - deb >/dev/null
}

teardown_file() {
	room_close
}

@test "the drop-in registers the runtime" {
	[ "$(inside docker info -f '{{(index .Runtimes "sandlock").Path}}')" = "$E/sandlock-oci" ]
	[ "$(inside docker run --rm --runtime sandlock bb /bin/echo hi)" = hi ]
}

# Between two runtimes, and after the test.
tidy() {
	inside sh -c 'docker ps -aq | xargs -r docker rm -f; docker network prune -f' >/dev/null 2>&1
}

teardown() {
	tidy || true
	nothing_left
}

@test "run: arguments, environment, user, directory, status, output" {
	same "$(printf 'a b\nv 7\n/tmp\n1000\nstatus 3')" 'docker run --rm --runtime $R -e V=v --user 1000 -w /tmp bb /bin/sh -c "echo \"\$0 \$1\"; echo \$V 7; pwd; id -u; exit 3" a b'
}

@test "exec, its status, and what another exec has left" {
	same "$(printf 'one\n5')" 'docker run -d --name cc --runtime $R bb sleep 100 >/dev/null
		docker exec cc /bin/sh -c "echo one >/left"; docker exec cc cat /left; docker exec cc /bin/sh -c "exit 5" || echo $?'
}

@test "build: RUN, COPY, USER and the image that comes of it" {
	for r in runc ours; do
		daemon_json $r
		inside sh -c 'kill -HUP "$(cat /run/engine.pid)"; sleep 1'
		case_of $r 'test "$(docker info -f "{{.DefaultRuntime}}")" = $R || echo "not $R"; mkdir /run/build.$R; cd /run/build.$R; echo copied >f
			printf "FROM bb\nCOPY f /f\nRUN cat /f >/g && ip -o link | wc -l >>/g\nUSER 1000\nRUN id -u >/tmp/u\n" >Dockerfile
			DOCKER_BUILDKIT=0 docker build -q --no-cache -t built.$R . >/dev/null && docker run --rm --runtime $R built.$R cat /g /tmp/u; rm -r /run/build.$R'
	done
	daemon_json runc
	inside sh -c 'kill -HUP "$(cat /run/engine.pid)"'
	is_same "$(printf 'copied\n2\n1000')"
}

# is_same WANT: of both, after their case_of.
is_same() {
	local r
	for r in runc ours; do
		[ "$(cat "$BATS_TEST_TMPDIR/$r")" = "$1" ] || { head "$BATS_TEST_TMPDIR/$r" "$BATS_TEST_TMPDIR/$r.err"; return 1; }
	done
}

@test "the bridge: an address of its own, the gateway, and a stack that is not the host's" {
	same "$(printf 'eth0 lo\n10.231.7\ndefault via 10.231.7.1 dev eth0')" 'docker run --rm --runtime $R bb /bin/sh -c "ls /sys/class/net | sort | xargs; ip -4 -o addr show eth0 | sed \"s/.*inet \([0-9.]*\)\.[0-9]*\/.*/\1/\"; ip route | grep default | xargs"'
}

@test "-p: reached by the mapped port, by the address, and not by the container'\''s port of the host" {
	same "$(printf 'hello\nhello\nrefused')" 'docker run -d --name cc --runtime $R -p 8088:80 bb nc -ll -p 80 -e echo hello >/dev/null
		until_ok ask 127.0.0.1 8088
		ask 127.0.0.1 8088; ask "$(docker inspect -f "{{.NetworkSettings.IPAddress}}" cc)" 80; ask 127.0.0.1 80 2>/dev/null || echo refused'
}

@test "a user without rights listens on port 80 of a network of its own, as docker has it set" {
	same hello 'docker run -d --name cc --runtime $R --user 1000 -p 8088:80 bb nc -ll -p 80 -e /bin/echo hello >/dev/null; until_ok ask 127.0.0.1 8088; ask 127.0.0.1 8088'
}

@test "two containers listen on the same port" {
	same "$(printf 'one\ntwo')" 'for n in one two; do docker run -d --name c$n --runtime $R bb nc -ll -p 80 -e echo $n >/dev/null; done
		for n in one two; do a=$(docker inspect -f "{{.NetworkSettings.IPAddress}}" c$n); until_ok ask $a 80; ask $a 80; done'
}

@test "--network none: lo, which is up, and nothing else" {
	same "$(printf 'lo\nUP\nno way')" 'docker run --rm --runtime $R --network none bb /bin/sh -c "ls /sys/class/net; ip link show lo | grep -o \"[<,]UP[,>]\" | tr -d \"<,>\"; nc 10.231.7.1 80 2>/dev/null || echo no way"'
}

@test "--network host: the interfaces of the host, and its ports" {
	same yes 'docker run --rm --runtime $R --network host bb /bin/sh -c "ip -o link | cut -d: -f2 | xargs" >/tmp/seen
		[ "$(cat /tmp/seen)" = "$(ip -o link | cut -d: -f2 | xargs)" ] && echo yes || cat /tmp/seen'
}

@test "--network container: one address, one loopback, until the first of them ends" {
	same "$(printf 'same\nfrom cc')" 'docker run -d --name cc --runtime $R bb nc -ll -p 80 -e echo from cc >/dev/null
		a=$(docker exec cc ip -4 -o addr show eth0); b=$(docker run --rm --runtime $R --network container:cc bb ip -4 -o addr show eth0)
		[ "$a" = "$b" ] && echo same || echo "$a, $b"
		docker run --rm --runtime $R --network container:cc bb nc 127.0.0.1 80'
}

@test "a pair as compose makes it: by name on a network of their own, redis and its client" {
	same "$(printf 'PONG\nstored')" 'docker network create pair.$R >/dev/null
		docker run -d --name db.$R --network pair.$R --network-alias db --runtime $R deb redis-server --protected-mode no --save "" >/dev/null
		cli() { docker run --rm --runtime $R --network pair.$R deb redis-cli -h db "$@"; }
		until_ok cli ping; cli ping; cli set key stored >/dev/null; cli get key; docker rm -f db.$R >/dev/null; docker network rm pair.$R >/dev/null'
}

@test "a network that is connected and left while the container runs" {
	same "$(printf 'eth0 lo\neth0 eth1 lo\neth0 lo')" 'docker network create extra.$R >/dev/null; docker run -d --name cc --runtime $R bb sleep 100 >/dev/null
		show() { docker exec cc /bin/sh -c "ls /sys/class/net | sort | xargs"; }
		show; docker network connect extra.$R cc; show; docker network disconnect extra.$R cc; show'
}

@test "stop, start, restart: states, statuses, and the mapped port afterwards" {
	same "$(printf '143\nexited\nhello\nhello')" 'docker run -d --name cc --runtime $R -p 8088:80 bb /bin/sh -c "trap \"exit 143\" TERM; nc -ll -p 80 -e echo hello & wait" >/dev/null
		until_ok ask 127.0.0.1 8088; docker stop -t 5 cc >/dev/null; docker inspect -f "{{.State.ExitCode}}" cc; docker inspect -f "{{.State.Status}}" cc
		docker start cc >/dev/null; until_ok ask 127.0.0.1 8088; ask 127.0.0.1 8088; docker restart -t 5 cc >/dev/null; until_ok ask 127.0.0.1 8088; ask 127.0.0.1 8088'
}

@test "a health check by curl of localhost, nginx in front of it" {
	same healthy 'docker run -d --name cc --runtime $R --health-cmd "curl -sf localhost" --health-interval 1s --health-retries 9 deb nginx -g "daemon off;" >/dev/null
		healthy() { [ "$(docker inspect -f "{{.State.Health.Status}}" cc)" = healthy ]; }
		until_ok healthy; docker inspect -f "{{.State.Health.Status}}" cc'
}

@test "--hostname and --domainname" {
	same "$(printf 'inner\nexample.test')" 'docker run --rm --runtime $R --hostname inner --domainname example.test bb cat /proc/sys/kernel/hostname /proc/sys/kernel/domainname'
}

@test "--init, whose child's signal is the status" {
	same "$(printf 'docker-init\n143')" 'docker run --rm --init --runtime $R bb /bin/sh -c "cat /proc/\$PPID/comm; kill -TERM \$\$" 2>&1 || echo $?'
}

@test "devices: --device, a bind with a rule for it, and neither without the other" {
	same "$(printf 'opened\nopened\nrefused\nrefused\nNo space left on device')" 'try="(exec 3<>/dev/fuse) 2>/dev/null && echo opened || echo refused"
		docker run --rm --runtime $R --device /dev/fuse bb /bin/sh -c "$try"
		docker run --rm --runtime $R -v /dev/fuse:/dev/fuse --device-cgroup-rule "c 10:229 rwm" bb /bin/sh -c "$try"
		docker run --rm --runtime $R -v /dev/fuse:/dev/fuse bb /bin/sh -c "$try"
		docker run --rm --runtime $R -v /dev/fuse:/dev/fuse --device-cgroup-rule "c 10:228 rwm" bb /bin/sh -c "$try"
		docker run --rm --runtime $R --device /dev/full:/dev/voll bb /bin/sh -c "echo x 2>&1 >/dev/voll | sed \"s/.*: //\""'
}

@test "kill and wait: the signal is the status" {
	same 137 'docker run -d --name cc --runtime $R bb sleep 100 >/dev/null; (sleep 0.5; docker kill cc >/dev/null) & docker wait cc; wait'
}

@test "logs, cp, top, rename, commit" {
	same "$(printf 'said\nfile\nsleep 100\ncommitted')" 'docker run -d --name cc --runtime $R bb /bin/sh -c "echo said; echo committed >/c; exec sleep 100" >/dev/null
		until_ok sh -c "docker logs cc | grep -q said"; docker logs cc; echo file >/tmp/f.$R; docker cp -q /tmp/f.$R cc:/f 2>/dev/null || docker cp /tmp/f.$R cc:/f; docker exec cc cat /f
		docker top cc -o pid,args | grep -o "sleep 100"; docker rename cc dd; docker commit -q dd com.$R 2>/dev/null >/dev/null || docker commit dd com.$R >/dev/null; docker run --rm --runtime $R com.$R cat /c'
}

@test "without a word of the node nothing outside is reached, and what is mapped still answers" {
	cp "$E/node.json" "$E/node.keep"
	echo '{}' >"$E/node.json"
	case_of ours 'docker run -d --name cc --runtime $R -p 8088:80 bb nc -ll -p 80 -e echo hello >/dev/null
		until_ok ask 127.0.0.1 8088; ask 127.0.0.1 8088; docker run --rm --runtime $R bb /bin/sh -c "nc 10.231.7.1 8088 2>&1 || true" | grep -c hello'
	mv "$E/node.keep" "$E/node.json"
	[ "$(cat "$BATS_TEST_TMPDIR/ours")" = "$(printf 'hello\n0\nstatus 1')" ] || { cat "$BATS_TEST_TMPDIR"/ours*; return 1; }
}

@test "the node says host: a bridge is refused with the option's name; --network host works" {
	cp "$E/node.json" "$E/node.keep"
	echo '{"network": {"namespace": "host"}}' >"$E/node.json"
	case_of ours 'docker run --rm --runtime $R bb true 2>&1 | grep -o "network.namespace = auto with network.unnamedNamespace = auto" | head -1; docker run --rm --runtime $R --network host bb echo works'
	mv "$E/node.keep" "$E/node.json"
	[ "$(cat "$BATS_TEST_TMPDIR/ours")" = "$(printf 'network.namespace = auto with network.unnamedNamespace = auto\nworks')" ] || { cat "$BATS_TEST_TMPDIR"/ours*; return 1; }
}
