#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# linux.resources.cpu.quota as a fraction of a processor: all processes of the container together get
# no more, however they are made, and a container that uses less is never stopped. Control: runc's
# cgroup. tests/bench/share.bash measures that the share is not too small; here other programs may use
# the processors too.
load lib

setup() {
	harness_setup
	command -v "$RUNTIME" >/dev/null
	LIMIT=30
}

# with_quota US SCRIPT: in each 100 ms.
with_quota() {
	loaded "$2" ".linux.resources.cpu = {quota: $1, period: 100000}"
}

# share SECONDS: of one processor, in percent, what the container uses meanwhile.
share() {
	local used began
	used=$(stat_of .cpu.usage.total)
	began=$(now_ms)
	sleep "$1"
	used=$(($(stat_of .cpu.usage.total) - used))
	echo $((used / 10000 / ($(now_ms) - began)))
}

@test "who wants more gets the quota" {
	with_quota 30000 'exec load spin 1000000'
	between 3 "$(share 3)" 40
}

@test "several processes and threads get it together, new sessions too" {
	with_quota 30000 'load spin 1000000 & load spin 1000000 & setsid load spin 1000000 & wait'
	between 3 "$(share 3)" 40
}

@test "processes that end at once are counted by who waits for them" {
	with_quota 30000 'while :; do /bin/true; done'
	between 3 "$(share 3)" 40
}

@test "processes that nobody waits for are counted too, in the quota and in the statistics" {
	with_quota 30000 'exec load flit 5'
	between 3 "$(share 3)" 40
	eventually 20 used_300_ms
}

used_300_ms() {
	[ "$(stat_of .cpu.usage.total)" -gt 300000000 ]
}

@test "more than one processor: a fraction of two" {
	[ "$(nproc)" -ge 2 ]
	with_quota 130000 'load spin 1000000 & load spin 1000000 & wait'
	between 6 "$(share 3)" 150
}

@test "control: without a quota it gets what there is" {
	# With the largest weight, because other programs may use the processors too.
	loaded 'exec load spin 1000000' '.linux.resources.cpu = {shares: 262144}'
	between 41 "$(share 3)" 105
}

@test "who stays below is never stopped" {
	with_quota 60000 'while :; do load spin 20; sleep 0.08; done'
	sleep 3
	[ "$(stat_of '.cpu.throttling.periods')" -gt 3 ]
	is "$(stat_of '.cpu.throttling.throttledPeriods // 0')" 0
}

stopped() {
	rt state "$ID"
	[ "$(jq -r .status "$T/out")" = stopped ]
}

@test "who is stopped for a moment answers exec, and a signal ends it" {
	with_quota 10000 'trap "exit 7" TERM; while :; do :; done'
	sleep 1
	[ "$(stat_of '.cpu.throttling.throttledPeriods')" -gt 0 ]
	rt exec "$ID" echo here
	ok
	out_is here
	rt kill "$ID" TERM
	ok
	eventually 5 stopped
}

@test "pause wins, and resume goes on with the budget" {
	with_quota 30000 'exec load spin 1000000'
	sleep 0.5
	rt pause "$ID"
	ok
	is "$(share 1)" 0
	rt resume "$ID"
	ok
	between 3 "$(share 2)" 40
}

@test "what the workload has stopped itself stays stopped" {
	with_quota 20000 'load spin 1000000 & kill -STOP $!; p=$!; load spin 1000000 & sleep 2
		sed -n "s/State:.\(.\).*/stopped \1/p" /proc/$p/status; wait'
	eventually 20 grep -q stopped "$T/$ID.out"
	is "$(cat "$T/$ID.out")" "stopped T"
	[ "$(stat_of '.cpu.throttling.throttledPeriods')" -gt 3 ]
}

@test "who sleeps is looked at less than once in two seconds" {
	ours || skip "it is about the supervisor"
	with_quota 30000 'sleep 1000'
	sleep 3
	supervisor=$(cat "$T/$ID.pid")
	before=$(sed -n 's/^voluntary_ctxt_switches:.//p' "/proc/$supervisor/status")
	sleep 5
	after=$(sed -n 's/^voluntary_ctxt_switches:.//p' "/proc/$supervisor/status")
	between 0 $((after - before)) 3
}
