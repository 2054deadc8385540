# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Engines of Debian's packages with a store, a network and processes of their own: everything
# lives in namespaces of the file, and ends with them. Each case is a script that is run with
# runc first, which is the control arm: what it prints there is what it has to print with us.

REPO=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
BUILD=${SANDLOCK_BUILD:-$REPO/build}
OURS=${RUNTIME:-$BUILD/bin/sandlock-oci}
CACHE=${SANDLOCK_TEST_CACHE:-/var/cache/sandlock-oci-tests}
LIMIT=120 # seconds for one case with one runtime
AS=()     # who runs the cases: a prefix of the command

# room_open COMMAND: namespaces of the file, in which COMMAND prepares and then stays. ROOM is
# a process in them; the file's directory is E.
room_open() {
	E=$BATS_FILE_TMPDIR
	export E
	chmod 755 "$E" "$BATS_RUN_TMPDIR"
	[ -x "$OURS" ] || { echo "no runtime at $OURS: build first" >&2; return 1; }
	# Where a user without rights may read it, whatever directory it was built in.
	install -m 755 "$OURS" "$E/sandlock-oci"
	export -f "$1"
	env -u DOCKER_HOST CGROUP="sandlock-engines-$$" unshare --mount --uts --ipc --net --pid --fork --kill-child --mount-proc \
		--propagation private -- bash -c '
			ip link set lo up
			mount -t tmpfs -o mode=755 tmpfs /run
			# Addresses that were given, keys, locks: what an engine keeps there ends with the room.
			for d in /etc /var/lib; do
				mkdir -p "/run/own$d/upper" "/run/own$d/work"
				mount -t overlay -o "lowerdir=$d,upperdir=/run/own$d/upper,workdir=/run/own$d/work" overlay "$d"
			done
			echo 1 >/proc/sys/net/ipv4/ip_forward
			"$0"' "$1" >"$E/room.log" 2>&1 </dev/null 3>&- 4>&- &
	echo $! >"$E/unshare"
	local i
	for i in $(seq 100); do
		ROOM=$(cat "/proc/$!/task/$!/children" 2>/dev/null)
		[ -z "$ROOM" ] || break
		sleep 0.05
	done
	echo "${ROOM% }" >"$E/room"
}

# Our node's policy, in the rootfs.mode that SANDLOCK_TEST_MODE says; what pairs of containers need
# to reach each other is open.
node_json() {
	echo "{\"rootfs\": {\"mode\": \"${SANDLOCK_TEST_MODE:-detached}\"},
		\"network\": {\"default\": [\"tcp://*\", \"udp://*\"]}}" >"$E/node.json"
}

# The first process of the room ends, and the kernel ends everything else in it.
room_close() {
	kill -9 "$(cat "$E/room")" 2>/dev/null
	while kill -0 "$(cat "$E/unshare")" 2>/dev/null; do sleep 0.05; done
	find /sys/fs/cgroup -depth -type d -path "*/sandlock-engines-$$*" -exec rmdir {} + 2>/dev/null
	rm -rf "${E:?}"/data
}

# inside COMMAND...: in the room.
inside() {
	nsenter --target "$(cat "$E/room")" --mount --uts --ipc --net --pid -- "$@"
}

# What a script of a case finds: $R is the runtime; until COMMAND waits for it to succeed.
script_start='
until_ok() { local i; for i in $(seq 100); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; echo "never: $*"; return 1; }
ask() { /usr/bin/python3 - "$@" <<"END"
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 3)
s.settimeout(3)
print(s.recv(100).decode().strip())
END
}
'

# case_of RUNTIME SCRIPT: its output in a file of the runtime's name; then the engine is as before
# (tidy, of the suite's file).
case_of() {
	R=$1 inside "${AS[@]}" timeout -k 5 "$LIMIT" bash -c "$script_start$2" >"$BATS_TEST_TMPDIR/$1" 2>"$BATS_TEST_TMPDIR/$1.err" </dev/null || echo "status $?" >>"$BATS_TEST_TMPDIR/$1"
	tidy
}

# same WANT SCRIPT: prints WANT with runc, and with us.
same() {
	local r
	for r in runc ours; do
		case_of "$r" "$2"
		if [ "$(cat "$BATS_TEST_TMPDIR/$r")" != "$1" ]; then
			echo "$r printed: $(cat "$BATS_TEST_TMPDIR/$r")"
			echo "expected:   $1"
			tail -20 "$BATS_TEST_TMPDIR/$r.err"
			return 1
		fi
	done
}

busybox_tar() {
	mkdir -p "$E/busybox"
	"$REPO/tests/images/busybox" "$E/busybox"
	tar -C "$E/busybox" -cf "$E/busybox.tar" .
}

# Nothing of ours is left in the room when its containers are gone.
nothing_left() {
	local i left
	for i in $(seq 60); do
		left=$(inside ps -eo comm= | grep -c '^sandlock:') || true
		[ "$left" -gt 0 ] || return 0
		sleep 0.05
	done
	inside ps -ef | grep sandlock:
	return 1
}
