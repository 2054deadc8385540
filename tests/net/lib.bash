# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the network's bats files share. Servers listen on loopback addresses of this machine and
# in namespaces that a test makes; nothing is sent anywhere else. Whether an attack has succeeded
# is decided by what a server has counted.
load ../lib/harness

# Ports of this test, so that files can run beside each other.
PORT=$((20000 + $$ % 20000))

setup() {
	harness_setup
	ours || skip "another network"
	# The servers listen on loopback, so the node policy lets rules open it.
	node_policy '{"network": {"localRules": "allow"}}'
}

# SERVER: the process of serve(). NS: a process that keeps a namespace of the test open.
teardown() {
	[ -z "${SERVER:-}" ] || kill "$SERVER" 2>/dev/null || true
	[ -z "${NS:-}" ] || kill "$NS" 2>/dev/null || true
	harness_teardown
}

node_policy() {
	echo "$1" >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
}

# serve ADDRESS:PORT...: starts server.py, which writes its counts to $T/counts.
serve() {
	rm -f "$T/counts"
	"$BATS_TEST_DIRNAME/server.py" "$T/counts" "$@" >"$T/server.log" 2>&1 3>&- &
	SERVER=$!
	eventually 5 test -s "$T/counts"
}

# count ADDRESS:PORT tcp|udp: what the server has counted, when that does not change any more.
count() {
	local before=x now field=2
	[ "$2" != udp ] || field=3
	while now=$(awk -v a="$1" -v f=$field '$1 == a { print $f }' "$T/counts"); [ "$now" != "$before" ]; do
		before=$now
		sleep 0.2
	done
	echo "$now"
}

# net_in RULES SCRIPT [JQ]: runs a shell script in a container with network.allow.
net_in() {
	mkdir -p "$T/b"
	[ -e "$T/b/rootfs" ] || cp -a "$(busybox_root)" "$T/b/rootfs"
	cp "$HELPERS"/net{probe,attack,stall,trace} "$T/b/rootfs/bin/"
	sh_in "$2" ".annotations[\"io.sandlock.network.allow\"] = \"$1\" | ${3:-.}"
}

# debian_bundle DIR RULES SCRIPT [JQ]: makes a bundle for bash in the image $DEBIAN, read-only.
debian_bundle() {
	mkdir -p "$1"
	jq --arg s "$3" --arg root "$DEBIAN/rootfs" --arg rules "$2" --arg mark "SANDLOCK_TEST_MARK=$MARK" \
		'.process.args = ["bash", "-c", $s] | .root = {path: $root, readonly: true} |
		.process.env += [$mark, "PATH=/usr/sbin:/usr/bin:/sbin:/bin"] |
		.mounts += [{destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev", "mode=1777"]}] |
		.annotations["io.sandlock.network.allow"] = $rules |'" ${4:-.}" "$HARNESS_DIR/config.json" >"$1/config.json"
}

# debian_in RULES SCRIPT [JQ]: runs such a bundle to its end.
debian_in() {
	debian_bundle "$T/d" "$@"
	run_bundle "$T/d"
}

# debian_started RULES SCRIPT [JQ]: starts a container $ID of such a bundle.
debian_started() {
	new_id
	debian_bundle "$T/$ID" "$@"
	create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
}

# fds_of PID: the number of a supervisor's descriptors, without the pidfds of recent callers.
fds_of() {
	ls -l "/proc/$1/fd" | grep -vc pidfd
}

refused() {
	refused_bundle ".annotations = $1" "$2"
}

# field TEXT NAME: the word behind the name.
field() {
	sed -n "s/.*\\b$2 \\([^ ]*\\).*/\\1/p" <<<"$1" | head -1
}
