#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it chooses the number of the next process of the machine
# Another thread executes a set-user-ID program while the supervisor answers a call. strace delays the
# supervisor, so that this always happens in time.
load lib

setup() {
	escape_setup
	ours || skip "a supervisor's"
}

# midcall ATTACK DELAYED-CALL...: the attack by uid 1000 beside a set-id program of root. The kernel
# honours the bit where the root has a mount namespace, and not in a detached tree.
midcall() {
	local attack=$1 call injected=()
	shift
	node '{"network": {"localRules": "allow"}, "rootfs": {"mode": "namespace"}}'
	attack_bundle "$T/b" "[\"/attack\", \"one\", \"$attack\", \"/set-id\"]" \
		'.hostname = "midcall" | .process.noNewPrivileges = false |
		.annotations["io.sandlock.network.allow"] = "udp://127.0.0.2:9"'
	cp "$ATTACK" "$T/b/rootfs/set-id"
	chmod 4755 "$T/b/rootfs/set-id"
	new_id
	create "$ID" "$T/b"
	ok
	for call in "$@"; do
		injected+=(-e "inject=$call:delay_enter=400ms")
	done
	strace -qq -o "$T/trace" "${injected[@]}" -p "$(pid_of "$ID")" 3>&- 4>&- &
	VICTIMS+=($!)
	eventually 5 grep -q '^TracerPid:.[1-9]' "/proc/$(pid_of "$ID")/status"
	rt start "$ID"
	ok
	eventually 15 test -s "$T/$ID.out"
	kill "${VICTIMS[0]}" || true
	wait "${VICTIMS[0]}" || true
	VICTIMS=()
	wait_state "$ID" stopped 5
	rt delete "$ID"
	ok
}

@test "an answer is not written into the program that has taken the caller's place" {
	midcall midcall-write process_vm_writev pwrite64
	is "$(grep write "$T/$ID.out")" "$(printf 'midcall-write\tunchanged of 0')"
	# The supervisor was delayed in that call.
	grep -q DELAYED "$T/trace"
}

@test "a connect is not made with the rights of that program" {
	midcall midcall-connect openat
	is "$(cat "$T/$ID.out")" "$(printf 'midcall-connect\tENOTCONN')"
	grep -q DELAYED "$T/trace"
}

@test "a limit is not set on a process of the host that has been given the number meanwhile" {
	local number prey i
	[ "$(nproc)" -ge 2 ] # the caller's processor, and the attacker's
	attack_bundle "$T/b" '["/attack", "one", "midcall-starve"]'
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	eventually 30 grep -q '^free' "$T/$ID.out"
	number=$(awk '{ print $2; exit }' "$T/$ID.out")
	for i in $(seq 50); do
		echo $((number - 1)) >/proc/sys/kernel/ns_last_pid
		sleep 100 </dev/null >/dev/null 2>&1 3>&- 4>&- &
		prey=$!
		[ "$prey" -ne "$number" ] || break
		kill "$prey"
	done
	VICTIMS+=("$prey")
	is "$prey" "$number"
	eventually 10 grep -q kept "$T/$ID.out"
	# The host's process does not have the limit for which the caller has asked.
	grep '^Max core file size' "/proc/$prey/limits"
	! grep -q '^Max core file size *7 ' "/proc/$prey/limits"
	wait_state "$ID" stopped 5
	rt delete "$ID"
	ok
}
