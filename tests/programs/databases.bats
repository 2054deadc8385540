#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Databases that speak to clients by unix sockets and on loopback, which a container has without
# any rule.
load lib

@test "MariaDB: made, queried by unix socket and by TCP, and shut down" {
	same "$(printf '%s\n' 3 7 0)" "mariadb-install-db --no-defaults --datadir=/tmp/d --auth-root-authentication-method=normal --skip-test-db >/tmp/made 2>&1 ||
			{ cat /tmp/made; exit 1; }
		mariadbd --no-defaults --datadir=/tmp/d --socket=/tmp/s --bind-address=127.0.0.1 --port=$PORT >/tmp/log 2>&1 &
		by_socket() { mariadb --no-defaults -u root -S /tmp/s -N -e \"\$1\"; }
		for i in \$(seq 300); do ! by_socket 'select 1' >/dev/null 2>&1 || break; sleep 0.1; done
		by_socket 'create database t; create table t.t (n int) engine=innodb; insert into t.t values (1), (2); select sum(n) from t.t'
		mariadb --no-defaults -u root -h 127.0.0.1 -P $PORT -N -e 'insert into t.t values (4); select sum(n) from t.t'
		by_socket shutdown; wait \$!; echo \$?; [ -e /tmp/d/ibdata1 ] || cat /tmp/log" "$AS_NOBODY"
}

@test "redis: by TCP and by unix socket, with a copy on the disk" {
	same "$(printf '%s\n' OK one OK two)" "redis-server --port $PORT --unixsocket /tmp/s --dir /tmp --save '' >/tmp/log &
		tcp() { redis-cli -h 127.0.0.1 -p $PORT \"\$@\"; }
		for i in \$(seq 100); do ! tcp ping >/dev/null 2>&1 || break; sleep 0.1; done
		tcp set a one; redis-cli -s /tmp/s get a; redis-cli -s /tmp/s set b two
		tcp save >/dev/null; tcp shutdown nosave; wait \$!
		redis-server --port $PORT --dir /tmp --save '' >>/tmp/log &
		for i in \$(seq 100); do ! tcp ping >/dev/null 2>&1 || break; sleep 0.1; done
		tcp get b" "$AS_USER"
}

# second: a server, and a client in another container of its pod, which names the network of the first.
second() {
	new_id
	local server=$ID pod='.annotations["io.kubernetes.cri.sandbox-id"] = "pod"'
	program "$T/$server" "exec redis-server --port $PORT --save ''" "$pod"
	create "$server" "$T/$server"
	ok
	rt start "$server"
	ok
	prints "$(printf '%s\n' OK kept)" "cli() { redis-cli -p $PORT \"\$@\"; }
		for i in \$(seq 100); do ! cli ping >/dev/null 2>&1 || break; sleep 0.1; done
		cli set a kept; cli get a" \
		"$pod | .linux.namespaces |= map(select(.type != \"network\")) + [{type: \"network\", path: \"/proc/$(cat "$T/$server.pid")/ns/net\"}]"
	rt delete --force "$server"
	ok
}

@test "redis: from another container of the pod" {
	both second
}
