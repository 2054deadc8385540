#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A directory as stdin, stdout or stderr leads out of the root.
load lib

@test "the control: a chroot's stdin leads outside" {
	mkdir -p "$T/host"
	echo secret >"$T/host/canary"
	escape_root "$T/jail"
	is "$(chroot "$T/jail" /attack one inherited 0 canary <"$T/host")" \
		"$(printf 'inherited\tok')"
}

@test "a directory as any of the three is refused" {
	local n
	mkdir -p "$T/host"
	attack_bundle "$T/b" '["/attack", "one", "inherited", "0", "canary"]'
	for n in 0 1 2; do
		new_id
		rc=0
		exec 6</dev/null 7>"$T/out" 8>"$T/err"
		case $n in
		0) exec 6<"$T/host" ;;
		1) exec 7<"$T/host" ;;
		2) exec 8<"$T/host" ;;
		esac
		timeout 20 "$RUNTIME" --root "$ROOT" --log "$T/log" create --bundle "$T/b" "$ID" \
			<&6 >&7 2>&8 3>&- 4>&- 6>&- 7>&- 8>&- || rc=$?
		exec 6>&- 7>&- 8>&-
		is "$rc" 1
		has "$T/log" directory
		is "$(state_word "$ID")" none
	done
}
