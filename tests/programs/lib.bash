# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Real programs, as Debian builds them. Each case is a script for bash in the read-only image of
# images/programs, with a tmpfs on /tmp. It is run with runc first, which is the control arm: what
# it prints there it has to print with us.
load ../lib/harness

setup_file() {
	ROOTFS=$("$BATS_TEST_DIRNAME/../images/programs")/rootfs
	export ROOTFS
}

setup() {
	harness_setup
	LIMIT=120
}

# Of this test: containers without a network of their own share the host's ports with everybody.
PORT=$((20000 + $$ % 20000))

AS_NOBODY='.process.user = {uid: 65534, gid: 65534}'
AS_USER='.process.user = {uid: 1000, gid: 1000} | del(.process.capabilities)'

# program DIR SCRIPT [JQ]: a bundle of the image.
program() {
	mkdir -p "$1"
	config "$1" ".root = {path: \"$ROOTFS\", readonly: true} | .process.cwd = \"/tmp\"
		| .mounts += [{destination: \"/tmp\", type: \"tmpfs\", source: \"tmpfs\", options: [\"mode=1777\"]}]
		| ${3:-.}"
	jq --arg s "$2" '.process.args = ["bash", "-c", $s]' "$1/config.json" >"$1/c"
	mv "$1/c" "$1/config.json"
}

# program_in SCRIPT [JQ]: run to its end.
program_in() {
	program "$T/b" "$@"
	run_bundle "$T/b"
}

# both COMMAND...: with runc, then with us.
both() {
	if ours; then
		with_runc "$@"
	fi
	"$@"
}

with_runc() {
	local RUNTIME=runc ROOT=$T/control RT_GLOBALS=()
	"$@"
}

# same WANT SCRIPT [JQ]: the script succeeds and prints WANT.
same() {
	both prints "$@"
}

prints() {
	program_in "$2" "${3:-.}"
	ok
	out_is "$1"
}
