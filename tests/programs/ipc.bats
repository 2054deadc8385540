#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs of Debian's packages that need System V IPC and POSIX queues.
load lib

# postgres OPTIONS SEGMENTS: initdb, a server with the options, pgbench by TCP and by the unix socket;
# then there are as many System V segments as SEGMENTS says, and none when it has ended.
postgres() {
	same "$(answers)" "export PATH=\$(echo /usr/lib/postgresql/*/bin):\$PATH PGDATA=/tmp/data HOME=/tmp LC_ALL=C.UTF-8 PGPORT=$PORT
		initdb --no-sync -A trust >/tmp/initdb 2>&1 || { cat /tmp/initdb; exit 1; }
		pg_ctl -w -l /tmp/log -o '-k /tmp -c listen_addresses=127.0.0.1 $1' start >/dev/null || { cat /tmp/log; exit 1; }
		pgbench -h /tmp -i postgres >/tmp/init 2>&1 || { cat /tmp/init; exit 1; }
		for host in /tmp 127.0.0.1; do
			pgbench -n -h \$host -c 4 -t 50 postgres | grep 'transactions actually processed'
		done
		[ \"\$(ipcs -m | grep -c '^0x')\" $2 ] && echo segments
		pg_ctl -m fast stop >/dev/null; ! ipcs -m | grep '^0x'" "$AS_NOBODY"
}

answers() {
	printf '%s\n' 'number of transactions actually processed: 200/200' \
		'number of transactions actually processed: 200/200' segments
}

@test "PostgreSQL: initdb and pgbench by unix socket and by TCP" {
	postgres '' '-eq 1'
}

@test "PostgreSQL with its memory in System V segments" {
	# The main segment and at least the one of the statistics.
	postgres '-c shared_memory_type=sysv -c dynamic_shared_memory_type=sysv' '-ge 1'
}

@test "fakeroot keeps owners with System V messages and semaphores" {
	same "$(printf '%s\n' '7 8' 'character special file' '65534 regular empty file' '65534 regular empty file' 0 0)" \
		'fakeroot-sysv bash -c "touch /tmp/f; chown 7:8 /tmp/f; mknod /tmp/d c 1 3; stat -c \"%u %g\" /tmp/f; stat -c %F /tmp/d"
		stat -c "%u %F" /tmp/f /tmp/d; ipcs -q | grep -c "^0x"; ipcs -s | grep -c "^0x"; true' "$AS_NOBODY"
}

@test "ipcs shows what is the container's and nothing of the host" {
	id=$("$HELPERS/ipcprobe" get shm 0 64 0666)
	ipcs -m | grep -qw "$id"
	same "$(printf '%s\n' 0 3 1 'allocated queues = 1' 'segments allocated 1' 'pages allocated 1' 'allocated semaphores = 3' 0)" \
		'ipcs -m -q -s | grep -c "^0x"; ipcmk -M 100 >/dev/null; ipcmk -S 3 >/dev/null; ipcmk -Q >/dev/null
		ipcs -m -q -s | grep -c "^0x"; ipcs -m -c | grep -c nobody; ipcs -u | grep allocated
		ipcrm --all; ipcs -m -q -s | grep -c "^0x"; true' "$AS_NOBODY"
	"$HELPERS/ipcprobe" stat shm "$id" | grep -q ' 64 '
	"$HELPERS/ipcprobe" rm shm "$id"
}
