#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs that live by System V IPC and POSIX queues, as Debian builds them.
load ../lib/harness

setup_file() {
	ROOTFS=$("$BATS_TEST_DIRNAME/../images/programs")/rootfs
	export ROOTFS
}

# PostgreSQL refuses to be root; its client speaks to loopback by a rule.
setup() {
	harness_setup
	LIMIT=120
	echo '{"network": {"localRules": "allow"}}' >"$T/node.json"
	if ours; then RT_GLOBALS=(--config "$T/node.json"); fi
}

AS_NOBODY='.process.user = {uid: 65534, gid: 65534}'

# program_in SCRIPT [JQ]: bash in the read-only image, with a tmpfs on /tmp and /dev/shm.
program_in() {
	mkdir -p "$T/b"
	config "$T/b" ".root = {path: \"$ROOTFS\", readonly: true}
		| .mounts += [{destination: \"/tmp\", type: \"tmpfs\", source: \"tmpfs\", options: [\"mode=1777\"]}]
		| .annotations[\"io.sandlock.network.allow\"] = \"tcp://127.0.0.1:5432\" | ${2:-.}"
	jq --arg s "$1" '.process.args = ["bash", "-c", $s]' "$T/b/config.json" >"$T/b/c"
	mv "$T/b/c" "$T/b/config.json"
	run_bundle "$T/b"
}

# postgres OPTIONS: initdb, a server with them, pgbench by TCP and by the unix socket.
postgres() {
	program_in "export PATH=\$(echo /usr/lib/postgresql/*/bin):\$PATH PGDATA=/tmp/data HOME=/tmp LC_ALL=C.UTF-8
		initdb --no-sync -A trust >/tmp/initdb 2>&1 || { cat /tmp/initdb; exit 1; }
		pg_ctl -w -l /tmp/log -o '-k /tmp -c listen_addresses=127.0.0.1 $1' start >/dev/null || { cat /tmp/log; exit 1; }
		pgbench -h /tmp -i postgres >/tmp/init 2>&1 || { cat /tmp/init; exit 1; }
		for host in /tmp 127.0.0.1; do
			pgbench -n -h \$host -c 4 -t 50 postgres | grep 'transactions actually processed'
		done
		ipcs -m | grep -c '^0x'
		pg_ctl -m fast stop >/dev/null; ipcs -m | grep -c '^0x'" "$AS_NOBODY"
	[ "$rc" -le 1 ] || ok
}

answers() {
	printf '%s\n' 'number of transactions actually processed: 200/200' \
		'number of transactions actually processed: 200/200' "$1" 0
}

@test "PostgreSQL: initdb and pgbench by unix socket and by TCP" {
	postgres ''
	out_is "$(answers 1)"
}

@test "PostgreSQL with its memory in System V segments" {
	postgres '-c shared_memory_type=sysv -c dynamic_shared_memory_type=sysv'
	# The main segment and at least the one of the statistics.
	is "$(sed -n 4p "$T/out")" 0
	is "$(sed 3d "$T/out")" "$(answers x | sed 3d)"
	[ "$(sed -n 3p "$T/out")" -ge 1 ]
}

@test "fakeroot keeps owners with System V messages and semaphores" {
	program_in 'fakeroot-sysv bash -c "touch /tmp/f; chown 7:8 /tmp/f; mknod /tmp/d c 1 3; stat -c \"%u %g\" /tmp/f; stat -c %F /tmp/d"
		stat -c "%u %F" /tmp/f /tmp/d; ipcs -q | grep -c "^0x"; ipcs -s | grep -c "^0x"' "$AS_NOBODY"
	out_is "$(printf '%s\n' '7 8' 'character special file' '65534 regular empty file' '65534 regular empty file' 0 0)"
}

@test "ipcs shows what is the container's and nothing of the host" {
	id=$("$HELPERS/ipcprobe" get shm 0 64 0666)
	ipcs -m | grep -qw "$id"
	program_in 'ipcs -m -q -s | grep -c "^0x"; ipcmk -M 100 >/dev/null; ipcmk -S 3 >/dev/null; ipcmk -Q >/dev/null
		ipcs -m -q -s | grep -c "^0x"; ipcs -m -c | grep -c nobody; ipcs -u | grep allocated
		ipcrm --all; ipcs -m -q -s | grep -c "^0x"' "$AS_NOBODY"
	"$HELPERS/ipcprobe" stat shm "$id" | grep -q ' 64 '
	"$HELPERS/ipcprobe" rm shm "$id"
	out_is "$(printf '%s\n' 0 3 1 'allocated queues = 1' 'segments allocated 1' 'pages allocated 1' 'allocated semaphores = 3' 0)"
}
