#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills memory
# Programs that reserve and share much memory run below a limit that is far less than what they
# reserve, and than the sum over their processes: none is killed. Control: with a third of the limit
# one is.
load lib

MIB=1048576

setup_file() {
	CLIENTS=$("$BATS_TEST_DIRNAME/../images/clients")/rootfs
	PROGRAMS=$("$BATS_TEST_DIRNAME/../images/programs")/rootfs
	export CLIENTS PROGRAMS
}

setup() {
	harness_setup
	ours || skip "about what this runtime counts"
	LIMIT=60
}

# within MIB ROOTFS SCRIPT: run to its end with that limit.
within() {
	mkdir -p "$T/b"
	config "$T/b" ".root = {path: \"$2\", readonly: true} | .process.cwd = \"/tmp\"
		| .process.user = {uid: 65534, gid: 65534}
		| .process.env += [\"HOME=/tmp\"] | .mounts += [{destination: \"/tmp\", type: \"tmpfs\", source: \"tmpfs\", options: [\"mode=1777\"]}]
		| .linux.resources.memory = {limit: $(($1 * MIB))}"
	jq --arg s "$3" '.process.args = ["bash", "-c", $s]' "$T/b/config.json" >"$T/b/c"
	mv "$T/b/c" "$T/b/config.json"
	rm -f "$T/b/oom"
	run_bundle "$T/b"
}

# lives MIB THIRD ROOTFS SCRIPT
lives() {
	within "$1" "$3" "$4"
	ok
	out_is done
	[ ! -e "$T/b/oom" ]
	within "$2" "$3" "$4"
	[ -e "$T/b/oom" ]
}

@test "Node: a heap that is filled and thrown away again and again" {
	lives 210 60 "$CLIENTS" 'node -e "
		const end = Date.now() + 4000; let n = 0;
		while (Date.now() < end) { const a = []; for (let i = 0; i < 40; i++) a.push(Buffer.alloc(1 << 20, i)); n += a.length; }
		console.log(\"done\")"'
}

@test "Python: workers that share what their parent has made" {
	lives 150 50 "$CLIENTS" 'python3 -c "
import multiprocessing, time
data = bytearray(b\"x\") * (100 << 20)
def work(i):
    end = time.time() + 3
    while time.time() < end:
        sum(data[i::65536])
    return i
with multiprocessing.get_context(\"fork\").Pool(8) as p:
    assert len(p.map(work, range(8))) == 8
print(\"done\")"'
}

@test "PostgreSQL: backends on one area of shared buffers" {
	lives 300 60 "$PROGRAMS" 'set -e
		bin=$(echo /usr/lib/postgresql/*/bin)
		$bin/initdb --no-sync -A trust -U postgres -D /tmp/db >/tmp/log 2>&1 || cat /tmp/log
		$bin/pg_ctl -D /tmp/db -w -l /tmp/pg.log -o "-c shared_buffers=64MB -c listen_addresses= -c unix_socket_directories=/tmp" start >/tmp/log 2>&1
		q() { $bin/psql -h /tmp -U postgres -qtA postgres -c "$1"; }
		q "create unlogged table t as select i, repeat(chr(120), 500) s from generate_series(1, 60000) i"
		for i in 1 2 3 4 5 6; do (for k in 1 2 3; do q "select sum(length(s)) from t" >/dev/null; done) & done
		wait $(jobs -p)
		$bin/pg_ctl -D /tmp/db -w -m fast stop >/tmp/log 2>&1
		echo done'
}
