#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A unix socket that the supervisor connects to on a caller's behalf: the caller's user, rights and
# root decide, as they do in the kernel. runc is the control arm.
load lib

PROGRAM='cd /; mkdir -p /sock /tmp/jail/in; chmod 777 /sock; ln -s /sock /tmp/jail/out
	echo root: $(unixconnect / 0 /tmp /sock/own/stream ../sock/own/stream /sock/own/none)
	rm -rf /sock/own
	echo user: $(unixconnect / 1000 / /sock/own/stream sock/own/stream)
	rm -rf /sock/own
	echo stranger: $(unixconnect / 1001 / /sock/own/stream)
	rm -rf /sock/own
	echo jailed: $(unixconnect /sock 0 /own /own/stream stream /../own/stream ./none)
	rm -rf /sock/own
	echo jailed and out: $(unixconnect /tmp/jail 0 /in /out/own/stream)'

EXPECTED="root: ok ok ENOENT
user: ok ok
stranger: EACCES
jailed: ok ok ok ENOENT
jailed and out: ENOENT"

arm() {
	mkdir -p "$T/b"
	[ -e "$T/b/rootfs" ] || cp -a "$(busybox_root)" "$T/b/rootfs"
	cp "$HELPERS/unixconnect" "$T/b/rootfs/bin/"
	chmod 755 "$T/b/rootfs"
}

@test "the caller's rights and root decide about a path" {
	arm
	local ours=$RUNTIME globals=("${RT_GLOBALS[@]}")
	RUNTIME=$(command -v runc) RT_GLOBALS=()
	sh_in "$PROGRAM"
	out_is "$EXPECTED"
	rm -rf "$T/b/rootfs/tmp/jail" "$T/b/rootfs/sock"
	RUNTIME=$ours RT_GLOBALS=("${globals[@]}")
	sh_in "$PROGRAM" '.annotations["io.sandlock.network.allow"] = "udp://127.0.0.1:53"'
	out_is "$EXPECTED"
}
