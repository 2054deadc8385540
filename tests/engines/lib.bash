# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# docker and podman of Debian's packages with a private store, network and process tree, in
# namespaces that each bats file makes and ends. Each case is a script. It runs with runc first, as
# the control arm, and has to print the same with this runtime.

REPO=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
BUILD=${SANDLOCK_BUILD:-$REPO/build}
OURS=${RUNTIME:-$BUILD/bin/sandlock-oci}
CACHE=${SANDLOCK_TEST_CACHE:-/var/cache/sandlock-oci-tests}
LIMIT=120 # seconds for one case with one runtime
AS=()     # who runs the cases: a prefix of the command

# room_open COMMAND: makes the namespaces of the file; COMMAND prepares them and keeps running. ROOM
# is the first process in them; E is the file's directory.
room_open() {
	E=$BATS_FILE_TMPDIR
	export E
	chmod 755 "$E" "$BATS_RUN_TMPDIR"
	[ -x "$OURS" ] || { echo "no runtime at $OURS: build first" >&2; return 1; }
	# A user without privileges may not be able to read the build directory.
	install -m 755 "$OURS" "$E/sandlock-oci"
	export -f "$1"
	env -u DOCKER_HOST CGROUP="sandlock-engines-$$" unshare --mount --uts --ipc --net --pid --fork --kill-child --mount-proc \
		--propagation private -- bash -c '
			ip link set lo up
			mount -t tmpfs -o mode=755 tmpfs /run
			# What an engine writes there (addresses, keys, locks) goes to a tmpfs.
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

# Writes the node policy, with the rootfs.mode of SANDLOCK_TEST_MODE. Containers may reach each
# other by TCP and UDP.
node_json() {
	echo "{\"rootfs\": {\"mode\": \"${SANDLOCK_TEST_MODE:-detached}\"},
		\"network\": {\"default\": [\"tcp://*\", \"udp://*\"]}}" >"$E/node.json"
}

# Kills the first process of the pid namespace, with which the kernel ends all others in it.
room_close() {
	kill -9 "$(cat "$E/room")" 2>/dev/null
	while kill -0 "$(cat "$E/unshare")" 2>/dev/null; do sleep 0.05; done
	find /sys/fs/cgroup -depth -type d -path "*/sandlock-engines-$$*" -exec rmdir {} + 2>/dev/null
	rm -rf "${E:?}"/data
}

# inside COMMAND...: runs it in the namespaces of the file.
inside() {
	nsenter --target "$(cat "$E/room")" --mount --uts --ipc --net --pid -- "$@"
}

# Functions for the scripts of cases: until_ok COMMAND waits until it succeeds; ask HOST PORT prints
# what a TCP server sends. $R is the name of the runtime.
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

# case_of RUNTIME SCRIPT: runs a case, with its output in a file of the runtime's name. Then tidy, a
# function of the bats file, removes what the case has made.
case_of() {
	R=$1 inside "${AS[@]}" timeout -k 5 "$LIMIT" bash -c "$script_start$2" >"$BATS_TEST_TMPDIR/$1" 2>"$BATS_TEST_TMPDIR/$1.err" </dev/null || echo "status $?" >>"$BATS_TEST_TMPDIR/$1"
	tidy
}

# same WANT SCRIPT: the script prints WANT with runc and with this runtime.
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

# No process of this runtime is left when the containers are gone.
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
