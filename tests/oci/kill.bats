#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
# kill: names, numbers, and the errors that callers match.
load ../lib/harness

@test "kill takes names with and without SIG, numbers and real-time names" {
	started 'for s in TERM USR1 USR2 HUP RTMIN+3; do trap "echo $s" $s; done
		trap "echo rt37" 37; echo ready; while :; do sleep 0.05; done'
	eventually 5 grep -q ready "$T/$ID.out"
	local s
	for s in TERM SIGUSR1 12 hup; do
		rt kill "$ID" "$s"
		ok
		sleep 0.2
	done
	rt kill "$ID" RTMIN+3
	ok
	eventually 5 grep -q rt37 "$T/$ID.out"
	is "$(grep -v ready "$T/$ID.out" | tr '\n' ' ')" "TERM USR1 USR2 HUP rt37 "
}

@test "kill takes every name of the kernel's signals" {
	local all=(HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM STKFLT CONT TSTP TTIN TTOU
		URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS) s
	started "exec probe signalled $(for s in "${all[@]}"; do kill -l "$s"; done | tr '\n' ' ')"
	eventually 5 grep -q ready "$T/$ID.out"
	for s in "${all[@]}"; do
		rt kill "$ID" "$s"
		ok
		eventually 5 grep -q "^$(kill -l "$s") " "$T/$ID.out"
	done
	rt kill "$ID" TERM
	wait_state "$ID" stopped
}

@test "a signal without a handler has its default action where there is no pid namespace" {
	local s
	for s in IO USR1 TERM; do
		started 'exec sleep 100' '.linux.namespaces |= map(select(.type != "pid"))'
		rt kill "$ID" "$s"
		ok
		wait_state "$ID" stopped
		rt delete "$ID"
		ok
	done
	# With one too, unless the kernel protects its first process.
	started 'exec sleep 100' '.linux.namespaces |= (. + [{type: "pid"}] | unique)'
	rt kill "$ID" IO
	ok
	if ours; then wait_state "$ID" stopped; else sleep 0.5; fi
	is "$(state_word "$ID")" "$(ours && echo stopped || echo running)"
	rt delete --force "$ID"
}

@test "kill defaults to SIGTERM" {
	started 'trap "echo got; exit 7" TERM; echo ready; while :; do sleep 0.05; done'
	eventually 5 grep -q ready "$T/$ID.out"
	rt kill "$ID"
	ok
	wait_state "$ID" stopped
	has "$T/$ID.out" got
}

@test "kill 0 of a running container succeeds" {
	started 'sleep 100'
	rt kill "$ID" 0
	ok
	is "$(state_word "$ID")" running
}

@test "kill of a stopped container fails, signal 0 too" {
	started 'exit 0'
	wait_state "$ID" stopped
	rt kill "$ID" TERM
	fails 'container not running'
	rt kill "$ID" 0
	fails 'container not running'
}

@test "kill of an unknown id fails" {
	rt kill nobody TERM
	fails 'container does not exist'
}

@test "kill with an unknown signal names it" {
	started 'sleep 100'
	rt kill "$ID" BOGUS
	fails 'unknown signal "BOGUS"'
	rt kill "$ID" 4711
	[ "$rc" -ne 0 ]
	is "$(state_word "$ID")" running
}

@test "a created container can be killed" {
	created 'sleep 100'
	rt kill "$ID" KILL
	ok
	wait_state "$ID" stopped
	rt delete "$ID"
	ok
}

@test "SIGTERM sent straight to the tracked pid reaches the workload" {
	started 'trap "echo got; exit 3" TERM; echo ready; while :; do sleep 0.05; done'
	eventually 5 grep -q ready "$T/$ID.out"
	kill -TERM "$(pid_of "$ID")"
	wait_state "$ID" stopped
	has "$T/$ID.out" got
}
