# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Every bats file loads this. Rules that must hold:
# - output of the runtime goes to files, never to $(...) or a pipe: a container inherits the
#   caller's stdio, so a pipe would make the test wait for the container and not for the verb;
# - every verb runs under a time limit;
# - with SANDLOCK_TEST_MODE=namespace a test uses that rootfs.mode, unless it writes a node policy;
# - every test has its own --root, and its teardown fails when anything of it is left:
#   a process, a mount in the host's table, a file below --root, a bound socket.

HARNESS_DIR=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
REPO=$(cd "$HARNESS_DIR/../.." && pwd)
BUILD=${SANDLOCK_BUILD:-$REPO/build}
RUNTIME=${RUNTIME:-$BUILD/bin/sandlock-oci}
HELPERS=$BUILD/tests/helpers
CACHE=${SANDLOCK_TEST_CACHE:-/var/cache/sandlock-oci-tests}
LIMIT=${SANDLOCK_TEST_LIMIT:-20}

ours() {
	[[ ${RUNTIME##*/} == sandlock-oci ]]
}

# The whole mount table must be the same before and after a test. With SANDLOCK_TEST_SHARED_HOST,
# where others mount at the same time, only the mounts below the test's directory count.
mount_table() {
	if [ -n "${SANDLOCK_TEST_SHARED_HOST:-}" ]; then
		grep -F "$T" /proc/self/mountinfo || true
	else
		cut -d' ' -f3- /proc/self/mountinfo | sort
	fi
}

busybox_root() {
	local key dir
	key=$(cat "$REPO/tests/images/busybox" "$(command -v busybox)" | sha256sum | cut -c1-12)
	dir=$CACHE/busybox-$key
	if [ ! -e "$dir/rootfs" ]; then
		mkdir -p "$CACHE"
		rm -rf "$dir.$$"
		"$REPO/tests/images/busybox" "$dir.$$/rootfs"
		mv -T "$dir.$$" "$dir" 2>/dev/null || rm -rf "$dir.$$"
	fi
	echo "$dir/rootfs"
}

harness_setup() {
	T=$BATS_TEST_TMPDIR
	# A container's user without privileges must reach the container's root.
	chmod 755 "$T" "${BATS_RUN_TMPDIR:-$T}" 2>/dev/null || true
	ROOT=$T/root
	MARK="sandlock-test-$$-$RANDOM$RANDOM-x"
	export SANDLOCK_TEST_MARK=$MARK
	IDS=0
	RT_GLOBALS=()
	if [ -n "${SANDLOCK_TEST_MODE:-}" ] && ours; then
		echo "{\"rootfs\": {\"mode\": \"$SANDLOCK_TEST_MODE\"}}" >"$T/mode.json"
		RT_GLOBALS=(--config "$T/mode.json")
	fi
	mount_table >"$T/mounts.before"
	if [ ! -x "$HELPERS/probe" ] || ! command -v "$RUNTIME" >/dev/null; then
		echo "no $RUNTIME or no helpers in $HELPERS: build first" >&2
		return 1
	fi
}

setup() {
	harness_setup
}

teardown() {
	harness_teardown
}

harness_teardown() {
	local d left=0
	# A test without a mark has started nothing. An empty mark would match every process.
	[ -n "${MARK:-}" ] || return 0
	# Deletes the containers of a test that has failed, so that the next test starts clean.
	for d in "$ROOT"/*/; do
		[ -d "$d" ] || continue
		rt delete --force "$(basename "$d")"
	done
	forget_namespace || left=1
	if [ -n "${BATS_TEST_COMPLETED:-}" ]; then
		assert_nothing_left || left=1
	fi
	reap_marked
	return $left
}

# Processes with this test's mark in their environment. The runtime's processes get it from the
# caller, the container's processes from the bundle.
marked() {
	local f
	for f in $(grep -lazF -e "SANDLOCK_TEST_MARK=$MARK" /proc/[0-9]*/environ 2>/dev/null); do
		f=${f#/proc/}
		f=${f%/environ}
		# Leaves out grep, which has ended, and this function's own subshell.
		[ -r "/proc/$f/stat" ] && [ "$f" != "$BASHPID" ] && ! grep -q '^State:.Z' \
			"/proc/$f/status" 2>/dev/null && echo "$f"
	done
	return 0
}

reap_marked() {
	local pids
	pids=$(marked)
	[ -z "$pids" ] || kill -9 $pids 2>/dev/null || true
}

assert_no_process() {
	local i pids
	for i in $(seq 40); do
		pids=$(marked)
		[ -n "$pids" ] || return 0
		sleep 0.05
	done
	echo "processes left:"
	ps -o pid,ppid,stat,comm,args -p "$(echo $pids | tr ' ' ,)"
	return 1
}

# A `run` in the foreground that was killed leaves ns:empty, which the next delete removes.
forget_namespace() {
	if [ -e "$ROOT/ns:empty" ]; then
		"$RUNTIME" --root "$ROOT" delete --force none 3>&- 4>&-
	fi
}

assert_nothing_left() {
	local bad=0
	assert_no_process || bad=1
	forget_namespace || bad=1
	mount_table >"$T/mounts.after"
	if ! diff -u "$T/mounts.before" "$T/mounts.after"; then
		echo "the host's mount table changed"
		bad=1
	fi
	if [ -d "$ROOT" ] && [ -n "$(find "$ROOT" -mindepth 1 -print -quit)" ]; then
		echo "files left below --root:"
		find "$ROOT" -mindepth 1
		bad=1
	fi
	if grep -F "$ROOT" /proc/net/unix; then
		echo "sockets left"
		bad=1
	fi
	return $bad
}

# A fresh id, unique on this machine.
new_id() {
	IDS=$((IDS + 1))
	ID="t$$-$RANDOM-$IDS"
}

# bundle DIR [JQ-EXPRESSION]: a busybox root and a config.json like the one containerd
# writes, changed by the expression.
bundle() {
	local dir=$1 expr=${2:-.}
	mkdir -p "$dir"
	[ -e "$dir/rootfs" ] || cp -a "$(busybox_root)" "$dir/rootfs"
	cp "$HELPERS/probe" "$dir/rootfs/bin/probe"
	config "$dir" "$expr"
}

# config DIR JQ-EXPRESSION: writes the config.json only.
config() {
	jq --arg mark "SANDLOCK_TEST_MARK=$MARK" ".process.env += [\$mark] | $2" \
		"$HARNESS_DIR/config.json" >"$1/config.json"
}

# default_profile: linux.seccomp as podman writes it for a container without capabilities.
default_profile() {
	jq -c '{defaultAction, defaultErrnoRet, architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86"],
		syscalls: [.syscalls[] | select(((.includes // {}) | (.caps // .minKernel) == null) and
			((.includes.arches // ["amd64"]) | index("amd64"))) |
			{names, action, errnoRet, args: [(.args // [])[] | {index, value, valueTwo, op}]} |
			with_entries(select(.value != null and .value != []))]}' \
		/usr/share/containers/seccomp.json
}

# rt ARGS...: calls the runtime. Leaves the status in $rc, the output in $T/out and $T/err.
rt() {
	rc=0
	timeout -k 5 "$LIMIT" "$RUNTIME" --root "$ROOT" "${RT_GLOBALS[@]}" "$@" \
		<"${STDIN:-/dev/null}" >"$T/out" 2>"$T/err" 3>&- 4>&- || rc=$?
}

# create ID BUNDLE [FLAGS...]: the container's stdio are the files $T/ID.out and $T/ID.err,
# the pid-file is $T/ID.pid.
create() {
	local id=$1 dir=$2
	shift 2
	rc=0
	timeout -k 5 "$LIMIT" "$RUNTIME" --root "$ROOT" "${RT_GLOBALS[@]}" create \
		--bundle "$dir" --pid-file "$T/$id.pid" "$@" "$id" \
		<"${STDIN:-/dev/null}" >"$T/$id.out" 2>"$T/$id.err" 3>&- 4>&- || rc=$?
	cp "$T/$id.out" "$T/out"
	cp "$T/$id.err" "$T/err"
}

# run BUNDLE [FLAGS...]: create, start, wait, delete. Output in $T/out and $T/err.
run_bundle() {
	local dir=$1
	shift
	new_id
	rt run --bundle "$dir" "$@" "$ID"
}

# run_in JQ-EXPRESSION: runs a new bundle to its end, which must be status 0.
run_in() {
	bundle "$T/b" "$1"
	run_bundle "$T/b"
	ok
}

# sh_in SCRIPT [JQ-EXPRESSION]: the same with a shell script as the process.
sh_in() {
	bundle "$T/b" "${2:-.}"
	jq --arg s "$1" '.process.args = ["sh", "-c", $s]' "$T/b/config.json" >"$T/b/c"
	mv "$T/b/c" "$T/b/config.json"
	run_bundle "$T/b"
	ok
}

# started SCRIPT [JQ-EXPRESSION]: starts a container $ID of the bundle $T/$ID.
started() {
	created "$@"
	rt start "$ID"
	ok
}

created() {
	new_id
	bundle "$T/$ID" "${2:-.}"
	jq --arg s "$1" '.process.args = ["sh", "-c", $s]' "$T/$ID/config.json" >"$T/$ID/c"
	mv "$T/$ID/c" "$T/$ID/config.json"
	create "$ID" "$T/$ID"
	ok
	# A create that succeeds must have made a process.
	kill -0 "$(cat "$T/$ID.pid")"
}

ok() {
	if [ "$rc" -ne 0 ]; then
		echo "status $rc"
		sed 's/^/out: /' "$T/out" | head -50
		sed 's/^/err: /' "$T/err" | head -50
		return 1
	fi
}

# fails TEXT [STATUS]: the last verb failed with the status (1) and the text on stderr.
fails() {
	if [ "$rc" -ne "${2:-1}" ]; then
		echo "status $rc, expected ${2:-1}"
		sed 's/^/out: /' "$T/out"
		sed 's/^/err: /' "$T/err"
		return 1
	fi
	if ! grep -qF -- "$1" "$T/err"; then
		echo "expected on stderr: $1"
		sed 's/^/err: /' "$T/err"
		return 1
	fi
}

# refused_bundle JQ TEXT: create fails with 1, says TEXT and leaves nothing; `policy explain` of the
# same bundle says the same sentence and ends with the same status.
refused_bundle() {
	bundle "$T/b" "$1"
	new_id
	rt create --bundle "$T/b" "$ID"
	fails "$2"
	tail -n 1 "$T/err" >"$T/refusal"
	rt state "$ID"
	fails 'does not exist'
	ours || return 0
	rt policy explain --bundle "$T/b"
	fails "$(cat "$T/refusal")"
}

# is GOT WANT
is() {
	if [ "$1" != "$2" ]; then
		echo "got:      $1"
		echo "expected: $2"
		return 1
	fi
}

# json [JQ-FLAGS] EXPRESSION FILE: holds for the file, which is not empty.
json() {
	[ -s "${!#}" ] && jq -e "$@" >/dev/null || {
		echo "does not hold for:"
		head -c 2000 "${!#}"
		return 1
	}
}

# out_is WANT: all of stdout.
out_is() {
	is "$(cat "$T/out")" "$1"
}

has() {
	if ! grep -qF -- "$2" "$1"; then
		echo "expected in $1: $2"
		head -50 "$1"
		return 1
	fi
}

state_word() {
	rt state "$1"
	if [ "$rc" -eq 0 ]; then jq -r .status "$T/out"; else echo none; fi
}

pid_of() {
	rt state "$1"
	jq -r .pid "$T/out"
}

# A limit is for what never comes. On a machine that is busy with something else a second is short.
PATIENCE=4

# wait_state ID WORD [SECONDS]
wait_state() {
	local i s
	for i in $(seq $((${3:-5} * 20 * PATIENCE))); do
		s=$(state_word "$1")
		[ "$s" != "$2" ] || return 0
		sleep 0.05
	done
	echo "state of $1 is $s, expected $2"
	return 1
}

# eventually SECONDS COMMAND...
eventually() {
	local n=$(($1 * 20 * PATIENCE))
	shift
	while ! "$@"; do
		n=$((n - 1))
		[ "$n" -gt 0 ] || { echo "never held: $*"; return 1; }
		sleep 0.05
	done
}

children_of() {
	cat "/proc/$1/task/"*/children 2>/dev/null
}

# init_of ID: the pid of init, which is a child of the tracked process.
init_of() {
	local p
	for p in $(children_of "$(pid_of "$1")"); do
		[ "$(cat "/proc/$p/comm")" != "sandlock:[init]" ] || { echo "$p"; return; }
	done
	echo "no init found" >&2
	return 1
}

# workload_of ID: the container's main process as the host sees it.
workload_of() {
	if ours; then
		children_of "$(init_of "$1")" | tr ' ' '\n' | head -1
	else
		pid_of "$1"
	fi
}

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}
