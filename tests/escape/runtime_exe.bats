#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The runtime's own binary, reached through /proc/self/exe (CVE-2019-5736): the image must
# not be able to run, open or change it.
load lib

# refused ARGS-JSON
refused() {
	local before
	before=$(sha256sum "$RUNTIME")
	config "$T/b" ".process.args = $1"
	new_id
	rt run --bundle "$T/b" "$ID"
	[ "$rc" -ne 0 ] && [ "$rc" -ne 42 ] || { echo "it ran: status $rc"; return 1; }
	grep -qi 'permission denied\|no such file' "$T/err" || { cat "$T/err"; return 1; }
	rt delete --force "$ID"
	is "$(sha256sum "$RUNTIME")" "$before"
}

@test "the control: a chroot that runs /proc/self/exe runs the host's binary" {
	escape_root "$T/jail"
	rm "$T/jail/attack"
	export root=$T/jail attack=$ATTACK
	rc=0
	unshare -m --propagation private bash -c \
		'mount -t proc proc "$root/proc" && exec "$attack" direct exec-self "$root"' || rc=$?
	is "$rc" 42
}

@test "/proc/self/exe as the process, as an interpreter, through a link" {
	escape_root "$T/b/rootfs"
	printf '#!/proc/self/exe\n' >"$T/b/rootfs/script"
	chmod 755 "$T/b/rootfs/script"
	ln -s /proc/self/exe "$T/b/rootfs/link"
	refused '["/proc/self/exe", "direct", "end-with", "42"]'
	refused '["/proc/thread-self/exe", "direct", "end-with", "42"]'
	refused '["/link", "direct", "end-with", "42"]'
	# The interpreter of a script is opened by then as the script itself, or as the
	# runtime's image: neither runs.
	refused '["/script"]'
}

@test "no /proc/N/exe but the container's own opens while others are created" {
	local i before
	before=$(sha256sum "$RUNTIME")
	attack_bundle "$T/b" '["/attack", "one", "exe-sweep", "70000"]'
	for i in $(seq 10); do
		new_id
		rt create --bundle "$T/b" "other-$ID" &
		run_bundle "$T/b"
		wait $!
		out_is "$(printf 'exe-sweep\tnone')"
		rt delete --force "other-$ID"
	done
	is "$(sha256sum "$RUNTIME")" "$before"
}

# Makes a copy of the runtime, which these tests attack.
own_runtime() {
	mkdir -p "$T/bin"
	cp "$RUNTIME" "$T/bin/sandlock-oci"
	RUNTIME=$T/bin/sandlock-oci
	INODE=$(stat -c %i "$RUNTIME")
	looks >"$T/before"
}

looks() {
	stat -c '%a %u %g %h %s %y %z' "$RUNTIME"
	getfattr -d -m - "$RUNTIME" 2>/dev/null
	sha256sum "$RUNTIME"
}

# unchanged FILE: prints the result of an attack, and fails if the file has changed.
unchanged() {
	is "$(cat "$1")" "$(printf '%s\n' "${@:2}")"
	looks | diff "$T/before" -
}

REFUSED=(chmod$'\t'EROFS chown$'\t'EROFS utimens$'\t'EROFS setxattr$'\t'EROFS
	setxattr\ caps$'\t'EROFS chmod\ O_PATH$'\t'EROFS link\ O_PATH$'\t'EXDEV link$'\t'EXDEV
	mapped$'\t'EPERM open\ rw$'\t'ETXTBSY truncate$'\t'EROFS)
RULES='.annotations["io.sandlock.network.allow"] = "udp://192.0.2.1:53"'

@test "the control: in a chroot with the same rights the file of a process in sight is changed" {
	escape_root "$T/jail"
	cp "$(command -v sleep)" "$T/jail/sleep"
	export root=$T/jail caps="-all,$CONTAINER_CAPS"
	is "$(unshare -m --propagation private bash -c '
		mount -t proc proc "$root/proc"
		setpriv --bounding-set "$caps" "$root/sleep" 100 &
		until grep -qx sleep "/proc/$!/comm"; do sleep 0.05; done
		setpriv --bounding-set "$caps" chroot "$root" /attack one image-of "$!"
		kill "$!"' 3>&-)" \
		"$(printf '%s\tok\n' chmod chown utimens setxattr 'setxattr caps' 'chmod O_PATH' \
			'link O_PATH' link; printf '%s\n' $'mapped\tEPERM' $'open rw\tETXTBSY' \
			$'truncate\tETXTBSY' $'image-of\tdone')"
	is "$(stat -c '%a %u %h %Y' "$T/jail/sleep")" "4777 1000 3 1"
}

# parked JQ: a hook of the container finds the process that waits for its start.
parked() {
	own_runtime
	attack_bundle "$T/b" '["/attack", "one", "stat", "/"]' ".hooks = {startContainer: [
		{path: \"/attack\", args: [\"attack\", \"one\", \"image-in-sight\", \"$INODE\",
			\"/tmp/said\"]}]} |
		.process.capabilities |= map_values([\"CAP_CHOWN\", \"CAP_FOWNER\", \"CAP_SETFCAP\",
			\"CAP_DAC_OVERRIDE\", \"CAP_SETUID\", \"CAP_SETGID\", \"CAP_FSETID\"]) | $1"
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	wait_state "$ID" stopped 5
	rt delete "$ID"
	unchanged "$T/b/rootfs/tmp/said" "${REFUSED[@]}"
}

@test "the runtime's file through a process that is parked by create" {
	parked .
}

@test "the same with network rules" {
	parked "$RULES"
}

# stopped JQ: a process that is exec'd is stopped before it executes.
stopped() {
	local i
	own_runtime
	attack_bundle "$T/b" "[\"/attack\", \"direct\", \"image-next\", \"$INODE\", \"15\"]" "$1"
	new_id
	create "$ID" "$T/b"
	rt start "$ID"
	ok
	eventually 5 grep -q ready "$T/$ID.out"
	for i in $(seq 200); do
		[ "$(state_word "$ID")" = running ] || break
		rt exec "$ID" /attack one stat /
	done
	wait_state "$ID" stopped 20
	rt delete "$ID"
	unchanged "$T/$ID.out" ready "${REFUSED[@]}" $'image-next\tdone'
}

@test "the runtime's file through a process that exec has forked" {
	stopped .
}

@test "the same with network rules, exec" {
	stopped "$RULES"
}

# The three processes, examined by root of the host, who has more rights.
@test "supervisor and init, too, run a file that nobody can change" {
	local p path t
	own_runtime
	attack_bundle "$T/b" '["/attack", "direct", "pester", "100", "0"]'
	new_id
	create "$ID" "$T/b"
	ok
	for p in "$(pid_of "$ID")" "$(init_of "$ID")" "$(workload_of "$ID")"; do
		is "$(stat -Lc %i "/proc/$p/exe")" "$INODE"
		for path in "/proc/$p/exe" "/proc/$p/map_files"/*; do
			[ "$(stat -Lc %i "$path")" = "$INODE" ] || continue
			for t in "chmod 4777" "chown 1000" "setfattr -n user.a -v 1"; do
				rc=0
				$t "$path" 2>"$T/said" || rc=$?
				[ "$rc" -ne 0 ] && grep -q 'Read-only file system' "$T/said" ||
					{ echo "$t $path: $rc $(cat "$T/said")"; return 1; }
			done
		done
		rc=0
		ln -L "/proc/$p/exe" "$T/stolen" 2>"$T/said" || rc=$?
		[ "$rc" -ne 0 ] && grep -q 'cross-device' "$T/said"
	done
	looks | diff "$T/before" -
	rt delete --force "$ID"
	ok
}
