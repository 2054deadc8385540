# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Real programs of Debian's packages. Each case is a script for bash in the read-only image of
# images/programs, with a tmpfs on /tmp. It runs with runc first, as the control arm, and has to
# print the same with this runtime.
load ../lib/harness

setup_file() {
	ROOTFS=$("$BATS_TEST_DIRNAME/../images/programs")/rootfs
	export ROOTFS
}

setup() {
	harness_setup
	LIMIT=120
}

# The port of this file: containers on the host's network stack share its ports.
PORT=$((20000 + $$ % 20000))

AS_NOBODY='.process.user = {uid: 65534, gid: 65534}'
AS_USER='.process.user = {uid: 1000, gid: 1000} | del(.process.capabilities)'

# program DIR SCRIPT [JQ]: makes a bundle of the image.
program() {
	mkdir -p "$1"
	config "$1" ".root = {path: \"$ROOTFS\", readonly: true} | .process.cwd = \"/tmp\"
		| .mounts += [{destination: \"/tmp\", type: \"tmpfs\", source: \"tmpfs\", options: [\"mode=1777\"]}]
		| ${3:-.}"
	jq --arg s "$2" '.process.args = ["bash", "-c", $s]' "$1/config.json" >"$1/c"
	mv "$1/c" "$1/config.json"
}

# program_in SCRIPT [JQ]: runs such a bundle to its end.
program_in() {
	program "$T/b" "$@"
	run_bundle "$T/b"
}

# both COMMAND...: calls it with runc, then with this runtime.
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
