#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Manual pages: there is one for each program, they are free of mistakes of form, they name the pages that
# are there, and that of the node policy has every key that the code knows. tests/oci/docs.bats has the
# commands, and what docs/generate writes.

setup() {
	REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	BUILD=${SANDLOCK_BUILD:-$REPO/build}
	PAGES=$REPO/docs/man
	T=$BATS_TEST_TMPDIR
}

# As man(1) would show it, with what groff has to say about it; no word is divided.
shown() {
	LC_ALL=C.UTF-8 man --no-hyphenation --warnings -E UTF-8 -l -Tutf8 "$1" 2>"$T/warnings" | col -bx
}

@test "groff has nothing to say about them" {
	local page
	for page in "$PAGES"/*; do
		shown "$page" >"$T/page"
		[ "$(wc -w <"$T/page")" -gt 100 ]
		[ ! -s "$T/warnings" ] || { cat "$T/warnings"; false; }
	done
	# The control.
	printf '.TH X 1\n.SH NAME\nx \\- y\n.XX\n' >"$T/x.1"
	shown "$T/x.1" >/dev/null
	[ -s "$T/warnings" ]
}

@test "each program has one, and says so with --help" {
	local program
	for program in sandlock-oci sandlock-proxy containerd-shim-sandlock-v1; do
		[ -s "$PAGES/$program.8" ]
		"$BUILD/bin/$program" --help >"$T/help"
		grep -qF "$program(8)" "$T/help"
		"$BUILD/bin/$program" -v | grep -q "^$program version [0-9]"
	done
	[ -s "$PAGES/sandlock.1" ]
	# An argument that is none is an error, and nothing else happens.
	run "$BUILD/bin/sandlock-proxy" --halp
	[ "$status" -eq 2 ]
	run "$BUILD/bin/containerd-shim-sandlock-v1" -halp
	[ "$status" -eq 1 ]
}

@test "the pages that they name are there" {
	local name
	cat "$PAGES"/* | tr -d '\\' | grep -oE '(sandlock-|containerd-)[a-z0-9-]+ ?\([58]\)|^sandlock \(1\)' | tr -d ' )' | tr '(' . | sort -u >"$T/names"
	[ "$(wc -l <"$T/names")" -ge 5 ]
	while read -r name; do
		[ -s "$PAGES/$name" ] || { echo "no $name"; false; }
	done <"$T/names"
}

@test "the page of the node policy has every key" {
	local key
	shown "$PAGES/sandlock-oci-config.5" >"$T/page"
	# Keys of earlier versions are in the table to be refused.
	sed -nE '/is no more/d; s/^\t\{ "(\w+)", "(\w+)", .*/\1.\2/p' "$REPO/runtime/plan/node.c" | grep -v attachByAnnotation >"$T/keys"
	[ "$(wc -l <"$T/keys")" -gt 30 ]
	while read -r key; do
		grep -qwF "$key" "$T/page" || { echo "not in the page: $key"; false; }
	done <"$T/keys"
	# And no other. The names of annotations look like keys.
	grep -oE '\b(capabilities|protections|rootfs|mounts|proc|ipc|network|http|annotations)\.[a-z]\w+' "$T/page" |
		sort -u | grep -vxF -f "$T/keys" | grep -vx 'network.allow\|network.port_remap' >"$T/unknown" || true
	[ ! -s "$T/unknown" ] || { cat "$T/unknown"; false; }
}

@test "the example of the node policy is accepted" {
	sed -n '/^\.EX$/,/^\.EE$/p' "$PAGES/sandlock-oci-config.5" | sed '1d;$d' >"$T/config.json"
	"$BUILD/bin/sandlock-oci" --config "$T/config.json" check >"$T/out" || grep -q "^node policy  *$T/config.json" "$T/out"
	! grep -q "$T/config.json.*:" "$T/out" || false
}
