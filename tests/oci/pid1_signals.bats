#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# kill 1: the main process is process 1 for the calls that take a process' number.
load ../lib/harness

WITH_PID='.linux.namespaces |= (. + [{type: "pid"}] | unique)'
CALLS='kill tkill tgkill queue tgqueue pidfd pidfd-thread'

setup() {
	harness_setup
}

# main_waits [JQ]: the main process prints the signals 1, 10, 12, 18 and 40 that it gets.
main_waits() {
	started 'exec probe signalled 1 10 12 18 40' "$WITH_PID | ${1:-.}"
	eventually 5 grep -q ready "$T/$ID.out"
}

# tries RESULT EXEC-ARGUMENTS…: what `probe signal` says in an exec'd process.
tries() {
	local want=$1
	shift
	rt exec "$@"
	ok
	[ "$(cat "$T/out")" = "$want" ] || { echo "$*: $(cat "$T/out") and not $want"; return 1; }
}

@test "every call that sends a signal reaches the main process" {
	main_waits
	local lines=1
	for call in $CALLS; do
		tries ok "$ID" probe signal "$call" 1 0
		tries ok "$ID" probe signal "$call" 1 10
		lines=$((lines + 1))
		eventually 5 sed -n "$lines{/^10 /q0};\$q1" "$T/$ID.out"
	done
	tries ok "$ID" probe signal kill 1 40
	eventually 5 grep -q "^40 " "$T/$ID.out"
	rt exec "$ID" probe signal kill 1 15 # and ends with it
	wait_state "$ID" stopped
	rt delete "$ID"
}

@test "the main process is told who has sent it" {
	local me code
	started 'probe signalled 1 10 & exec probe signalled 1 10' "$WITH_PID"
	eventually 5 awk 'END { exit NR < 2 }' "$T/$ID.out"
	rt exec "$ID" sh -c 'echo $$; exec probe signal kill 1 1'
	me=$(head -1 "$T/out")
	# For another process the kernel says SI_USER to nobody but itself.
	if ours; then code=-1; else code=0; fi
	eventually 5 grep -qx "1 $code $me 0" "$T/$ID.out"
	tries ok "$ID" probe signal queue 1 1
	eventually 5 grep -qx "1 -1 4711 0" "$T/$ID.out"
	rt delete --force "$ID"
}

@test "who may not signal the main process gets EPERM, also for 0" {
	main_waits
	for call in $CALLS; do
		tries EPERM --user 1000 "$ID" probe signal "$call" 1 10
	done
	for call in kill tkill tgkill; do
		tries EPERM --user 1000 "$ID" probe signal "$call" 1 0
	done
	jq '.process | .user = {uid: 1000, gid: 1000} | .args = ["probe", "signal", "kill", "1", "10"] | .terminal = false
		| .capabilities |= map_values(["CAP_KILL"]) | .capabilities.ambient = ["CAP_KILL"] | .capabilities.inheritable = ["CAP_KILL"]' \
		"$T/$ID/config.json" >"$T/process.json"
	tries ok --process "$T/process.json" "$ID"
	eventually 5 grep -q '^10 .* 1000$' "$T/$ID.out"
	is "$(grep -c '^10 ' "$T/$ID.out")" 1
	rt delete --force "$ID"
}

@test "a user signals his own main process and not one that has become somebody else" {
	main_waits '.process.user = {uid: 1000, gid: 1000}'
	tries ok --user 1000 "$ID" probe signal kill 1 10
	tries EPERM --user 1001 "$ID" probe signal kill 1 10
	rt exec "$ID" true
	rt delete --force "$ID"
}

@test "SIGCONT within a session needs no right" {
	sh_in 'su -s /bin/sh u1 -c "probe signal kill 1 18; probe signal kill 1 10; probe signal tgkill 1 18"
		setsid su -s /bin/sh u1 -c "probe signal kill 1 18" | cat' "$WITH_PID"
	out_is "$(printf '%s\n' ok EPERM ok EPERM)"
}

@test "what is no signal, no thread of it and no information is refused as ever" {
	main_waits
	for call in $CALLS; do
		tries EINVAL "$ID" probe signal "$call" 1 65
		tries EINVAL "$ID" probe signal "$call" 1 -1
	done
	for call in tgkill tgqueue; do
		tries ESRCH "$ID" probe signal "$call" 1 0 999999
		tries EINVAL "$ID" probe signal "$call" 1 0 0
		tries EINVAL "$ID" probe signal "$call" 0 0 1
		tries EINVAL "$ID" probe signal "$call" -1 0 1
		tries ESRCH "$ID" probe signal "$call" 999999 0 1
	done
	tries EPERM "$ID" probe signal forge 1 10
	tries EFAULT "$ID" probe signal nowhere 1 10
	rt exec "$ID" sh -c 'probe signal tgkill 1 0 $$'
	out_is ESRCH
	is "$(cat "$T/$ID.out")" ready
	rt delete --force "$ID"
}

@test "a thread of the main process is one by its own number as well" {
	ours || skip "numbers inside are others"
	main_waits
	local main
	main=$(workload_of "$ID")
	tries ok "$ID" probe signal tgkill 1 10 "$main"
	tries ok "$ID" probe signal tgkill "$main" 12 1
	eventually 5 grep -q '^12 ' "$T/$ID.out"
	grep -q '^10 ' "$T/$ID.out"
	rt delete --force "$ID"
}

@test "only the number 1 is asked about, and kill(-1) means everybody as ever" {
	ours || skip "only this runtime counts"
	main_waits
	tries ok "$ID" probe signal kill 1 0
	tries ok "$ID" probe signal kill -1 10
	eventually 5 grep -q '^10 0 ' "$T/$ID.out"
	rt exec "$ID" sh -c 'for i in $(seq 200); do kill -0 $$; kill -0 -$$; done 2>/dev/null; probe ask 0; probe ask $$; probe signal tgkill $$ 0'
	rt events --stats "$ID"
	json '.data.sandlock.notifications | .kill == 1 and ([keys[] | select(test("kill|get|sig|pidfd") and (startswith("clock_") | not))] == ["kill"])' "$T/out"
	rt delete --force "$ID"
}

@test "kill 1 from inside ends a main process that does not expect it" {
	ours || skip "pid 1 of a namespace is immune"
	sh_in 'sh -c "kill 1"; sleep 10' '.process.args = []' || true
	is "$rc" 143
	sh_in 'kill -9 1; sleep 10' || true
	is "$rc" 137
}

@test "what tells of a process tells of the main process" {
	ours || skip "numbers inside are others"
	started 'exec probe signalled 1' '.linux.resources.cpu = {cpus: "0"} |
		.process.ioPriority = {class: "IOPRIO_CLASS_BE", priority: 6}'
	eventually 5 grep -q ready "$T/$ID.out"
	renice -n 7 -p "$(workload_of "$ID")" >/dev/null
	rt exec "$ID" probe ask "$(workload_of "$ID")"
	ok
	mv "$T/out" "$T/want"
	has "$T/want" 'getpriority 13'
	rt exec "$ID" probe ask 1
	ok
	diff "$T/want" "$T/out"
	# Control: the host's first process is another one.
	! "$HELPERS/probe" ask 1 | diff - "$T/want"
	rt exec --user 1000 --cap CAP_CHOWN "$ID" probe ask 1
	diff "$T/want" "$T/out"
	rt delete --force "$ID"
}

@test "what changes a process, traces it or waits for it finds no process 1" {
	ours || skip "there is one in a pid namespace"
	local before
	before=$("$HELPERS/probe" ask 1; cat /proc/1/limits)
	started 'exec sleep 31387'
	for how in '' '--user 1000'; do
		rt exec $how "$ID" probe change 1
		ok
		is "$(sed 's/.* //' "$T/out" | sort | uniq -c | tr -s ' ')" "$(printf ' 2 ECHILD\n 12 ESRCH')"
	done
	is "$("$HELPERS/probe" ask 1; cat /proc/1/limits)" "$before"
	rt delete --force "$ID"
}
