#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bind(2) of unix sockets on a stack that is shared: the supervisor does it, on its own copy of the
# address, and names, modes, owners and errors are those of the kernel. runc is the control arm.
load lib

# with PROGRAM: makes a bundle that runs a script with the helper.
bundle_for() {
	bundle "$T/$1" '.'
	cp "$HELPERS/unixbind" "$T/$1/rootfs/bin/"
	chmod 755 "$T/$1/rootfs"
	jq --arg s "$2" '.process.args = ["sh", "-c", $s]' "$T/$1/config.json" >"$T/$1/c"
	mv "$T/$1/c" "$T/$1/config.json"
}

@test "names, modes, owners and errors are as under runc" {
	local script='mkdir -m 755 /tmp/d && unixbind names /tmp/d; ls /tmp/d | sort'
	bundle_for runc "$script"
	timeout 20 runc --root "$T/runc.root" run --bundle "$T/runc" "u$$-$RANDOM" </dev/null >"$T/want" 2>&1
	bundle_for ours "$script"
	run_bundle "$T/ours"
	ok
	diff "$T/want" "$T/out"
	grep -q '^absolute: ok /tmp/d/absolute 16 140755 0 0' "$T/out"
	grep -q "^not the file user's: EACCES" "$T/out"
	grep -q '^as file user: ok files 6 140600 1000 1001' "$T/out"
	grep -q '^as user: ok /tmp/d/user 12 140600 1000 1001' "$T/out"
}

@test "the name that is bound is the one that was judged: a thread flips it, or the socket" {
	mkdir "$T/d"
	"$HELPERS/unixbind" flip "$T/d" 0.5 >"$T/control"
	[ "$(field "$(cat "$T/control")" abstract)" -gt 10 ]
	"$HELPERS/unixbind" swap 0.5 >"$T/control"
	[ "$(field "$(cat "$T/control")" abstract)" -gt 0 ]
	bundle_for b 'mkdir /tmp/d; unixbind flip /tmp/d 5; unixbind swap 4'
	run_bundle "$T/b"
	ok
	cat "$T/out"
	is "$(sed 's/.*\(abstract [0-9]*\).*/\1/' "$T/out" | sort -u)" 'abstract 0'
	[ "$(field "$(head -1 "$T/out")" path)" -gt 50 ]
	[ "$(field "$(head -1 "$T/out")" refused)" -gt 50 ]
}

@test "a caller that has changed its root binds below it" {
	bundle_for b 'mkdir -p /jail/bin /jail/tmp/d; cp /bin/unixbind /jail/bin/; chroot /jail /bin/unixbind names /tmp/d | grep -E "^root|abstract"
		ls -l /jail/tmp/d/absolute /jail/tmp/d/relative /jail/tmp/d/sub | grep -c "^s"; ls /tmp'
	run_bundle "$T/b"
	ok
	# The root itself is no name, and above all not the abstract one of nothing.
	sed -i '/^autobind/d' "$T/out"
	out_is "$(printf 'root: EADDRINUSE\n3')"
}
