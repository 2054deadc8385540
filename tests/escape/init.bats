#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load lib

@test "the runtime's own processes: every attack gives its exact errno" {
	attack_cases init
}

# Every signal that would end or stop the process is blocked, also the two that the C library reserves
# for itself. All threads are tested, because a signal can be sent to one thread.
@test "every thread of init and the supervisor blocks all signals but KILL and STOP" {
	local t own
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	new_id
	create "$ID" "$T/b"
	ok
	# The control: a thread of a program with the C library's widest mask.
	is "$("$ATTACK" one sigfillset)" "$(printf 'sigfillset\tblocked:fffffffe7ffbfeff')"
	threads_of "$ID"
	for t in /proc/"${INIT%:*}"/task/*; do
		is "$(awk '/^SigBlk/ { print $2 }' "$t/status")" fffffffffffbfeff
	done
	# One signal is the supervisor's timer, which interrupts its calls that take too long.
	own=$((0x$(awk '/^SigBlk/ { print $2 }' "/proc/$SUPERVISOR/status")))
	is "$(printf %x $((own | 1 << 40)))" fffffffffffbfeff
	rt delete --force "$ID"
	ok
}
