#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the sockets of all shims of the machine
# A Debian image, unchanged, under containerd: real programs work and ask the supervisor
# nothing while they do.
export NEED_DEBIAN=1
load ../lib/ctr

# How many calls reached the supervisor of container $MARK until now. Each connect is one, as network
# rules need it, and each rename and rmdir, for mount points that are busy: they are not counted.
notifications() {
	rc=0
	timeout 20 "$RUNTIME" --root "$RUNC_ROOT/default" events --stats "$MARK" >"$T/stats" 2>"$T/err" 3>&- || rc=$?
	jq '(.sandlock // .data.sandlock) | .notifications_total -
		([.notifications | to_entries[] | select(.key | IN("connect", "rename", "renameat", "renameat2",
			"rmdir", "unlinkat")) | .value] | add // 0)' "$T/stats"
}

# quiet SCRIPT: runs it in a detached container that says "done" in /tmp/done at the end.
# The pin: what a start may cost, nothing per call.
PIN=8
FLAGS=()

quiet() {
	ctr_run "$DEBIAN" "$MARK" -d --mount "type=bind,src=$T,dst=/t,options=rbind:rw" \
		"${FLAGS[@]}" -- bash -c "{ $1
		} >/t/work.out 2>&1; echo \$? >/t/done; exec sleep 1000"
	ok
	eventually 60 test -s "$T/done"
	if [ "$(cat "$T/done")" != 0 ]; then
		cat "$T/work.out"
		false
	fi
	if ours; then
		local n
		n=$(notifications)
		echo "notifications: $n"
		[ "$n" -le "$PIN" ]
	fi
}

@test "python3 imports" {
	quiet 'python3 -c "import json, ssl, sqlite3, asyncio; print(sqlite3.connect(\":memory:\").execute(\"select 42\").fetchone()[0])"'
	is "$(tail -1 "$T/work.out")" 42
}

@test "python3 asyncio with a unix socket, threads and subprocesses" {
	quiet 'python3 - <<"EOF"
import asyncio, os, subprocess, threading
async def main():
    async def serve(r, w):
        w.write(await r.readline()); await w.drain(); w.close()
    s = await asyncio.start_unix_server(serve, "/tmp/s")
    r, w = await asyncio.open_unix_connection("/tmp/s")
    w.write(b"ping\n"); print((await r.readline()).decode().strip())
    p = await asyncio.create_subprocess_exec("echo", "child", stdout=subprocess.PIPE)
    print((await p.stdout.read()).decode().strip())
    await p.wait()
asyncio.run(main())
t = [threading.Thread(target=os.getpid) for _ in range(20)]
[x.start() for x in t]; [x.join() for x in t]
EOF'
	is "$(tr '\n' ' ' <"$T/work.out")" "ping child "
}

@test "find over the whole root" {
	quiet 'find / -xdev >/dev/null; find / -xdev | wc -l'
	[ "$(tail -1 "$T/work.out")" -gt 1000 ]
}

@test "a C compile" {
	quiet 'cd /tmp && printf "#include <stdio.h>\nint main(void) { puts(\"compiled\"); return 0; }\n" >a.c && gcc -O2 -o a a.c && ./a'
	is "$(tail -1 "$T/work.out")" compiled
}

@test "redis-server under load over a unix socket" {
	quiet 'redis-server --port 0 --unixsocket /tmp/r.sock --save "" --daemonize yes >/dev/null;
		for i in $(seq 50); do redis-cli -s /tmp/r.sock ping 2>/dev/null | grep -q PONG && break; sleep 0.1; done;
		redis-benchmark -s /tmp/r.sock -q -n 20000 -t set,get >/dev/null; redis-cli -s /tmp/r.sock ping'
	is "$(tail -1 "$T/work.out")" PONG
}

@test "redis-server listens on TCP of its container and dies with it" {
	FLAGS=(--net-host)
	quiet 'redis-server --port 47120 --save "" --daemonize yes >/dev/null; sleep 0.5; echo up'
	[ "$(printf 'PING\r\n' | timeout 3 bash -c 'exec 5<>/dev/tcp/127.0.0.1/47120; cat >&5; head -c 5 <&5')" = +PONG ]
	"${CTR[@]}" task rm -f "$MARK" || true
	if timeout 3 bash -c 'exec 5<>/dev/tcp/127.0.0.1/47120' 2>/dev/null; then false; fi
}

@test "nginx serves a page with its workers as another user" {
	FLAGS=(--net-host)
	quiet 'printf "user www-data; events {} http { server { listen 47121; root /usr/share/nginx/html; } }" >/tmp/n.conf;
		nginx -c /tmp/n.conf && sleep 0.5; ps -eo user,comm | grep -c "^www-data.*nginx"'
	[ "$(tail -1 "$T/work.out")" -ge 1 ]
	[ "$(printf 'GET / HTTP/1.0\r\n\r\n' | timeout 3 bash -c 'exec 5<>/dev/tcp/127.0.0.1/47121; cat >&5; head -1 <&5' | tr -d '\r')" = 'HTTP/1.1 200 OK' ]
}

@test "exit codes and signals from the Debian image" {
	local code
	for code in 0 1 42; do
		ctr_run "$DEBIAN" "$MARK-$code" --rm -- bash -c "exit $code"
		is "$rc" "$code"
	done
	ctr_run "$DEBIAN" "$MARK-s" --rm -- python3 -c 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'
	is "$rc" 139
}
