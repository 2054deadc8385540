#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Input that a container pushes into the caller's terminal would be run by the caller's shell.
load lib

# on_terminal COMMAND: runs it with a fresh controlling terminal; output in $T/out.
on_terminal() {
	rc=0
	timeout 20 script -qefc "$1" "$T/typescript" </dev/null >"$T/out" 2>&1 3>&- 4>&- || rc=$?
	tr -d '\r' <"$T/typescript" >"$T/out"
}

attempt() {
	local a globals="${RT_GLOBALS[*]}"
	for a in tiocsti:x tiocsti-high:x tioclinux:; do
		attack_bundle "$T/${a%:*}" \
			"[\"/attack\", \"one\", \"${a%:*}\"$([ -z "${a#*:}" ] || echo ", \"${a#*:}\"")]" "$1"
		new_id
		on_terminal "$RUNTIME --root $ROOT $globals run --bundle $T/${a%:*} $ID"
		has "$T/out" "$(printf '%s\tEPERM' "${a%:*}")"
	done
}

@test "the control: a byte goes into the caller's terminal" {
	on_terminal "$ATTACK one tiocsti x"
	has "$T/out" "$(printf 'tiocsti\tok')"
	on_terminal "$ATTACK one tiocsti-high x"
	has "$T/out" "$(printf 'tiocsti-high\tok')"
	# A pseudo terminal has no TIOCLINUX: the call was reached.
	on_terminal "$ATTACK one tioclinux"
	has "$T/out" "$(printf 'tioclinux\tENOTTY')"
}

@test "TIOCSTI, TIOCLINUX on the caller's terminal: EPERM" {
	attempt .
}

@test "the same with CAP_SYS_ADMIN, which the kernel's own check lets pass" {
	node '{"capabilities": {"unfenced": "keep"}}'
	attempt "$(add_caps CAP_SYS_ADMIN)"
}
