#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# Bind mounts: directories, files, sockets; attributes; host changes; no write-through.
load ../lib/harness

bind() {
	echo ".mounts += [{destination: \"$2\", type: \"bind\", source: \"$1\", options: [$3]}]"
}

@test "a directory, read-write: both sides see the writes" {
	mkdir "$T/vol"
	echo host >"$T/vol/a"
	sh_in 'cat /data/a; echo container >/data/b' "$(bind "$T/vol" /data '"rbind", "rw"')"
	out_is host
	is "$(cat "$T/vol/b")" container
}

@test "ro is read-only" {
	mkdir "$T/vol"
	sh_in 'touch /data/x 2>&1; true' "$(bind "$T/vol" /data '"rbind", "ro"')"
	grep -qi 'read-only' "$T/out"
	is "$(ls "$T/vol")" ""
}

@test "all of the host, recursively, is refused by what is below; without that it is bound" {
	ours || skip "runc binds the host's procfs"
	bundle "$T/b" "$(bind / /data '"rbind", "ro"')"
	run_bundle "$T/b"
	fails "is on the host's"
	grep -qE "mount / to /data: /[a-z][^ ]* is on the host's" "$T/err"
	sh_in 'ls /data/proc | wc -l; test -d /data/usr && echo bound' "$(bind / /data '"bind", "ro"')"
	out_is "$(printf '0\nbound')"
}

@test "a file over a file, over a missing one, and read-only" {
	echo source >"$T/file"
	sh_in 'cat /etc/passwd /new/place; echo x >/new/place 2>/dev/null || echo refused' \
		"$(bind "$T/file" /etc/passwd '"bind"') | $(bind "$T/file" /new/place '"bind", "ro"')"
	out_is "$(printf 'source\nsource\nrefused')"
	is "$(cat "$T/file")" source
}

@test "a unix socket can be bound in and connected to" {
	ours || skip "only this runtime promises it"
	python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1]); s.listen(1)
os.chmod(sys.argv[1], 0o666)
open(sys.argv[1] + ".up", "w")
c, _ = s.accept()
c.sendall(b"from the host\n")
c.close()' "$T/s" 3>&- &
	eventually 5 test -e "$T/s.up"
	sh_in 'probe unixread /run/host.sock' "$(bind "$T/s" /run/host.sock '"bind"')"
	out_is 'from the host'
}

@test "noexec, nosuid and nodev are set" {
	mkdir "$T/vol"
	cp "$HELPERS/probe" "$T/vol/probe"
	chmod 4755 "$T/vol/probe"
	mknod "$T/vol/zero" c 1 5
	sh_in '/data/probe euid 2>&1 | grep -i -o "permission denied"; probe open /data/zero' \
		"$(bind "$T/vol" /data '"rbind", "noexec", "nosuid", "nodev"')"
	is "$(tr 'A-Z' 'a-z' <"$T/out" | tail -1)" eacces
	has "$T/out" 'ermission denied'
}

@test "bind is one mount, rbind the whole tree, rro all of it read-only" {
	mkdir -p "$T/vol/sub"
	mount -t tmpfs below "$T/vol/sub"
	echo deep >"$T/vol/sub/f"
	mount_table >"$T/mounts.with"
	sh_in 'cat /one/sub/f 2>/dev/null || echo hidden; cat /all/sub/f; touch /all/sub/w && echo w; touch /rro/sub/w 2>/dev/null || echo ro' \
		"$(bind "$T/vol" /one '"bind"') | $(bind "$T/vol" /all '"rbind"') | $(bind "$T/vol" /rro '"rbind", "rro"')"
	mount_table >"$T/mounts.then"
	umount "$T/vol/sub"
	out_is "$(printf 'hidden\ndeep\nw\nro')"
	diff "$T/mounts.with" "$T/mounts.then"
}

@test "a bundle-relative source works" {
	bundle "$T/b" "$(bind volume /data '"rbind"') | .process.args = [\"cat\", \"/data/f\"]"
	mkdir "$T/b/volume"
	echo relative >"$T/b/volume/f"
	run_bundle "$T/b"
	ok
	out_is relative
}

@test "a missing source is an error that names it" {
	bundle "$T/b" "$(bind "$T/no-such-source" /data '"rbind"')"
	rt create --bundle "$T/b" x
	fails no-such-source
	assert_nothing_left
}

@test "an idmapped mount shows the mapped owner" {
	ours || skip "newer than this runc"
	mkdir "$T/vol"
	: >"$T/vol/f"
	chown 0:0 "$T/vol/f"
	sh_in 'stat -c "%u %g" /data/f' '.mounts += [{destination: "/data", type: "bind", source: "'"$T/vol"'",
		options: ["bind", "idmap"],
		uidMappings: [{containerID: 0, hostID: 1000, size: 1}],
		gidMappings: [{containerID: 0, hostID: 1000, size: 1}]}]'
	out_is "1000 1000"
}
