#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Texts of a bundle appear on stderr and in the log as one line, without terminal escape sequences.
load ../lib/harness

forged='a\ntime=\"x\" level=info msg=\"forged\"\u001b[31m\u009b\r\u007f'

# plain FILE: nothing but printable characters, in one line.
plain() {
	is "$(wc -l <"$1")" 1
	if LC_ALL=C grep -q '[^ -~]' "$1"; then
		cat -v "$1"
		return 1
	fi
}

@test "process.args in an error, on stderr and in the text log" {
	RT_GLOBALS=(--log "$T/log")
	bundle "$T/b" ".process.args = [\"$forged\"]"
	run_bundle "$T/b"
	fails '\n'
	plain "$T/err"
	has "$T/err" '\x1b[31m\u009b\r\x7f'
	grep level=error "$T/log" >"$T/line"
	plain "$T/line"
	has "$T/line" 'msg=\"forged\'
	if grep -q '^time="x"' "$T/log"; then false; fi
	has "$T/line" 'a\ntime=\"x\"'
}

@test "an annotation in an error, on stderr and in the text log" {
	RT_GLOBALS=(--log "$T/log")
	bundle "$T/b" ".annotations = {\"io.sandlock.rootfs.mode\": \"$forged\"}"
	run_bundle "$T/b"
	fails '\x1b[31m'
	plain "$T/err"
	grep level=error "$T/log" >"$T/line"
	plain "$T/line"
	if grep -q '^time="x"' "$T/log"; then false; fi
}

@test "a letter of another alphabet stays, a byte that is none does not" {
	bundle "$T/b" '.process.args = ["/no/ä"]'
	run_bundle "$T/b"
	fails '/no/ä'
	rt state $'b\xe4d'
	fails 'b\xe4d'
}
