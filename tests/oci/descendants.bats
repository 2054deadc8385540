#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every process ends with the main process, also after setsid, double forks and re-parenting, although
# there is no pid namespace.
load ../lib/harness

@test "a daemon that ignores every signal dies with the main process" {
	sh_in 'probe daemon 31337; setsid sh -c "sleep 31338 & sleep 31338" & (setsid sleep 31338 &); echo main; exit 0'
	has "$T/out" main
	assert_no_process
}

@test "run comes back promptly although children hold its output" {
	local start
	start=$(now_ms)
	sh_in 'setsid sleep 31339 & (setsid sh -c "sleep 31339 &" &); echo main done'
	[ $(($(now_ms) - start)) -lt 3000 ]
	has "$T/out" 'main done'
	assert_no_process
}

@test "the status is the main process's, not a child's" {
	bundle "$T/b" '.process.args = ["sh", "-c", "(sleep 0.2; exit 9) & setsid sleep 31340 & exit 3"]'
	run_bundle "$T/b"
	is "$rc" 3
	assert_no_process
}

@test "stopped and traced-looking children die too" {
	sh_in 'sleep 31341 & kill -STOP $!; probe daemon 31341; echo main; exit 0'
	has "$T/out" main
	assert_no_process
}

@test "orphans are the main process's, which reaps them as it does elsewhere" {
	started 'for i in $(seq 200); do (sleep 0.01 &) ; done; (setsid sleep 31343 &); echo done
		while :; do sleep 0.1; done'
	eventually 10 grep -q done "$T/$ID.out"
	sleep 0.5
	local main
	main=$(workload_of "$ID")
	is "$(ps -o stat= --ppid "$main" | grep -c ^Z || true)" 0
	is "$(ps -o args= --ppid "$main" | grep -c '^sleep 31343')" 1
	is "$(ps -o stat= --ppid "$(init_of "$ID")" | grep -c ^Z || true)" 0
	rt kill "$ID" KILL
	ok
	wait_state "$ID" stopped
	assert_no_process
}

@test "a process of exec leaves its orphans to init, which reaps them" {
	started 'sleep 100; true'
	rt exec "$ID" sh -c '(sleep 0.1 &); exit 0'
	ok
	sleep 0.5
	is "$(ps -o stat= --ppid "$(init_of "$ID")" | grep -c ^Z || true)" 0
}

@test "kill of the main process takes the others along" {
	started 'setsid sleep 31342 & probe daemon 31342; exec sleep 100'
	sleep 0.3
	rt kill "$ID" KILL
	ok
	wait_state "$ID" stopped
	assert_no_process
}
