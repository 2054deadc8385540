#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# linux.seccomp of the bundle is applied in addition to the runtime's own filter.
load ../lib/harness

@test "a denied call gives the profile's errno" {
	sh_in 'mkdir /tmp/d 2>&1 | grep -o "Cross-device link\|Invalid cross-device link"; true' \
		'.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", architectures: ["SCMP_ARCH_X86_64"],
			syscalls: [{names: ["mkdir", "mkdirat", "no_such_call"], action: "SCMP_ACT_ERRNO", errnoRet: 18}]}'
	grep -q 'cross-device\|Cross-device' "$T/out"
}

@test "an unknown action or architecture is refused by name" {
	bundle "$T/b" '.linux.seccomp = {defaultAction: "SCMP_ACT_NONSENSE"}'
	create x "$T/b"
	fails SCMP_ACT_NONSENSE
	bundle "$T/b" '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", architectures: ["SCMP_ARCH_NONSENSE"]}'
	create x "$T/b"
	fails SCMP_ARCH_NONSENSE
}

# init_filters: how many the leader of init has, its thread in the domain, and its third.
init_filters() {
	local t
	for t in /proc/"$(init_of "$ID")"/task/*; do
		printf '%s ' "$(awk '$1 == "Seccomp_filters:" { print $2 }' "$t/status")"
	done
}

# filters: of the main process and of an exec'd one, how many filters and what rights.
# LATE refuses what preparing a process needs, the other does not; both must look the same.
LATE='{defaultAction: "SCMP_ACT_ALLOW", syscalls: [{names: ["getcwd", "swapon"], action: "SCMP_ACT_ERRNO"}]}'

filters() {
	started 'grep -E "NoNewPrivs|Seccomp_filters|CapPrm|CapBnd" /proc/self/status; sleep 100' "$1"
	eventually 5 grep -q Seccomp_filters "$T/$ID.out"
	rt exec "$ID" grep -E 'NoNewPrivs|Seccomp_filters|CapPrm|CapBnd' /proc/self/status
	ok
	is "$(cat "$T/out")" "$(cat "$T/$ID.out")"
	tr '\t\n' ': ' <"$T/out" | tr -s : | sed 's/CapPrm/\n&/'
}

@test "the profile is there once, in the main process and in an exec'd one" {
	local p locked
	for p in "$LATE" "$(default_profile)"; do
		for locked in true false; do
			filters ".process.noNewPrivileges = $locked | .linux.seccomp = $p" >"$T/seen"
			has "$T/seen" 'Seccomp_filters:2'
			is "$(init_filters)" "0 $([ "$p" = "$LATE" ] && echo 1 || echo 2) 0 "
			has "$T/seen" "NoNewPrivs:$([ $locked = true ] && echo 1 || echo 0)"
			[ $((0x$(grep -oE 'CapPrm:[0-9a-f]+' "$T/seen" | cut -d: -f2) & 1 << 21)) -eq 0 ]
			rt delete -f "$ID"
			ok
		done
	done
}

@test "an exec'd process without no_new_privs in a container that has it" {
	local p
	for p in "$LATE" "$(default_profile)"; do
		started 'sleep 100' ".process.noNewPrivileges = true | .linux.seccomp = $p"
		jq -n '{cwd: "/", user: {uid: 0, gid: 0}, env: ["PATH=/bin"], noNewPrivileges: false,
			args: ["grep", "-cE", "(NoNewPrivs|Seccomp_filters):.(1|2)$", "/proc/self/status"]}' >"$T/p.json"
		rt exec --process "$T/p.json" "$ID"
		ok
		out_is 2
		rt delete -f "$ID"
		ok
	done
}

@test "with podman's profile everything goes on: exec, terminal, pause, kill --all, stop" {
	local script='trap "exit 7" TERM; while :; do sleep 0.1; done'
	started "$script" ".process.noNewPrivileges = false | .linux.seccomp = $(default_profile)"
	rt exec "$ID" sh -c 'echo a | cat; exit 3' </dev/null
	is "$rc $(cat "$T/out")" "3 a"
	rt exec --user 1000:1000 --cwd /tmp "$ID" sh -c 'id -u; pwd'
	out_is "$(printf '1000\n/tmp')"
	rt exec "$ID" no-such
	fails 'executable file not found' 255
	rt pause "$ID"
	ok
	is "$(state_word "$ID")" paused
	rt resume "$ID"
	ok
	rt kill "$ID" TERM
	ok
	wait_state "$ID" stopped 5
	rt delete "$ID"
	ok
	started "$script" ".linux.seccomp = $(default_profile)"
	rt kill --all "$ID" KILL
	ok
	wait_state "$ID" stopped 5
	rt delete "$ID"
	ok
}

@test "TSYNC in the profile's flags leaves init's leader alone" {
	started 'sleep 100' '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", flags: ["SECCOMP_FILTER_FLAG_TSYNC"],
		syscalls: [{names: ["swapon"], action: "SCMP_ACT_ERRNO"}]}'
	rt exec "$ID" grep -q 'Seccomp_filters:.2' /proc/self/status
	ok
	is "$(init_filters)" "0 2 0 "
	rt delete -f "$ID"
	ok
}

@test "a profile that refuses what comes behind it is refused by name" {
	ours || skip "runc fails with other words"
	local call
	for call in read write capset; do
		bundle "$T/b" ".process.args = [\"true\"] | .process.noNewPrivileges = false | .linux.seccomp = {
			defaultAction: \"SCMP_ACT_ALLOW\", syscalls: [{names: [\"$call\"], action: \"SCMP_ACT_ERRNO\"}]}"
		run_bundle "$T/b"
		fails "linux.seccomp: the profile refuses $call"
		fails 'process.noNewPrivileges'
		rt policy explain --bundle "$T/b"
		fails "linux.seccomp: the profile refuses $call"
		config "$T/b" ".process.args = [\"true\"] | .process.noNewPrivileges = true | .linux.seccomp = {
			defaultAction: \"SCMP_ACT_ALLOW\", syscalls: [{names: [\"$call\"], action: \"SCMP_ACT_ERRNO\"}]}"
		run_bundle "$T/b"
		ok
	done
}
