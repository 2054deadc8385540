#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The runtime's own binary, reached through /proc/self/exe (CVE-2019-5736): the image must
# not get it run, opened or changed.
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
