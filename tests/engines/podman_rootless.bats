#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# podman of a user without privileges: its user namespace, slirp4netns for the network, ports by
# podman's own proxy. The user exists in the file's mount namespace only.
load lib
load podman

as_user() {
	AS=(setpriv --reuid 4711 --regid 4711 --init-groups env "HOME=$E/home" "XDG_RUNTIME_DIR=$E/xdg" USER=pod)
}

setup_file() {
	export E=$BATS_FILE_TMPDIR
	podman_conf --storage-driver overlay
	room_open stay
	busybox_tar
	cp "$BUILD/tests/helpers/probe" "$E/busybox/bin"
	tar -C "$E/busybox" -cf "$E/busybox.tar" .
	# newuidmap and slirp4netns ask for these; the device is everybody's on a usual machine.
	inside sh -c 'set -e
		for f in passwd group subuid subgid; do cp "/etc/$f" "$E/$f"; done
		echo "pod:x:4711:4711::$E/home:/bin/sh" >>"$E/passwd"; echo "pod:x:4711:" >>"$E/group"
		echo pod:200000:65536 | tee -a "$E/subuid" >>"$E/subgid"
		for f in passwd group subuid subgid; do mount --bind "$E/$f" "/etc/$f"; done
		install -d -m 700 -o 4711 -g 4711 "$E/home" "$E/xdg"
		mknod -m 666 /run/tun c 10 200; mount --bind /run/tun /dev/net/tun'
	as_user
	R=runc inside "${AS[@]}" pod import -q "$E/busybox.tar" localhost/bb >/dev/null 2>&1
}

teardown_file() {
	room_close
}

setup() {
	as_user
}

tidy() {
	R=runc inside "${AS[@]}" pod rm -f -t 0 -a >/dev/null 2>&1
}

teardown() {
	tidy || true
	nothing_left
}

@test "run, exec, stop: arguments, environment, user, statuses" {
	same "$(printf 'v 1000\nstatus 3\none\n5\n143')" 'pod run --rm -e V=v --user 1000 bb sh -c "echo \$V \$(id -u); exit 3" || echo status $?
		pod run -d --name cc bb sh -c "trap \"exit 143\" TERM; touch /up; sleep 100 & wait" >/dev/null
		until_ok pod exec cc test -e /up; pod exec cc sh -c "echo one >/left"; pod exec cc cat /left; pod exec cc sh -c "exit 5" || echo $?
		pod stop -t 5 cc >/dev/null; pod inspect -f "{{.State.ExitCode}}" cc'
}

@test "--pid host, --init, --systemd=always" {
	same "$(printf '/proc/self\npodman-init\npodman')" 'pod run --rm --pid host bb ls -d /proc/self
		pod run --rm --init bb cat /proc/1/comm; pod run --rm --systemd=always bb sh -c "echo \$container"'
}

@test "the network of slirp4netns, -p, --network none" {
	same "$(printf 'lo tap0\nhello\nrefused\nlo')" 'pod run -d --name cc -p 8088:80 bb nc -ll -p 80 -e /bin/echo hello >/dev/null
		pod exec cc sh -c "ls /sys/class/net | sort | xargs"; until_ok ask 127.0.0.1 8088; ask 127.0.0.1 8088; ask 127.0.0.1 80 2>/dev/null || echo refused
		pod run --rm --network none bb ls /sys/class/net'
}

@test "build: RUN and the image that comes of it" {
	same "$(printf 'copied\n1000')" 'build ~/b.$R'
}

@test "--device, which podman binds: what the user may open opens, and nothing is made" {
	same "$(printf 'No space left on device\nrefused')" 'pod run --rm --device /dev/full:/dev/voll bb sh -c "echo x 2>&1 >/dev/voll | sed \"s/.*: //\"; mknod /dev/x c 1 3 2>/dev/null || echo refused"'
}

@test "check and the log say what a user namespace lacks" {
	inside "${AS[@]}" "$E/sandlock-oci" check >"$BATS_TEST_TMPDIR/user"
	inside "${AS[@]}" podman unshare "$E/sandlock-oci" check >"$BATS_TEST_TMPDIR/root"
	inside "$E/sandlock-oci" check >"$BATS_TEST_TMPDIR/host"
	grep -q '^proc.hidepid  *no; /proc is the host' "$BATS_TEST_TMPDIR/user"
	grep -q '^rights  *none' "$BATS_TEST_TMPDIR/user"
	grep -q '^proc.hidepid  *no; /proc is the host' "$BATS_TEST_TMPDIR/root"
	grep -q '^devices  *nodes in /dev are the host' "$BATS_TEST_TMPDIR/root"
	grep -q '^proc.hidepid  *yes' "$BATS_TEST_TMPDIR/host"
	case_of ours 'pod create --name cc bb true >/dev/null; pod init cc >/dev/null
		grep -h warning "$(dirname "$(pod inspect -f "{{.PidFile}}" cc)")/oci-log" | grep -oE "\"msg\":\"(proc.hidepid|devices)"'
	[ "$(cat "$BATS_TEST_TMPDIR/ours")" = "$(printf '"msg":"proc.hidepid\n"msg":"devices')" ] || { cat "$BATS_TEST_TMPDIR"/ours*; return 1; }
}

# A process in the user namespace of all containers of that user, and what is tried on it.
attack='
podman unshare sleep 5555 & parent=$!
found() { victim=$(pgrep -fx "sleep 5555"); }
until_ok found; found
tries="exec 2>&1; kill -0 $victim && echo ok; for f in environ maps mem fd/0 root cwd ns/net; do /bin/probe open /proc/$victim/\$f; done; /bin/probe open /proc/$victim/oom_score_adj rw"
'

@test "processes of the same user are seen and cannot be touched, nor what is theirs in /proc" {
	# The control arm: in the same user namespace, without a container.
	case_of runc "$attack"'podman unshare sh -c "cp \$E/busybox/bin/probe ~/probe; $(echo "$tries" | sed "s,/bin/probe,~/probe,g")"; kill $victim; wait $parent || true'
	[ "$(cat "$BATS_TEST_TMPDIR/runc")" = "$(yes ok | head -9)" ] || { cat "$BATS_TEST_TMPDIR"/runc*; return 1; }
	case_of ours "$attack"'pod run --rm bb sh -c "$tries" | sed "s/.*: //"; pod run --rm bb cat /proc/$victim/comm; kill $victim; wait $parent || true'
	[ "$(cat "$BATS_TEST_TMPDIR/ours")" = "$(echo Operation not permitted; yes EACCES | head -7; echo EROFS; echo sleep)" ] || { cat "$BATS_TEST_TMPDIR"/ours*; return 1; }
}
