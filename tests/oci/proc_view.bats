#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# /proc inside shows all processes of the container and none of the host.
load ../lib/harness

@test "ps shows the container's processes and nothing else" {
	sh_in 'sleep 31370 & sleep 31371 & sleep 0.1; ps -o comm,args'
	is "$(grep -c '^sleep *sleep 3137' "$T/out")" 2
	# The header, the shell or what it became, the two sleeps, ps: nothing of the host.
	[ "$(wc -l <"$T/out")" -le 5 ]
}

@test "root sees processes of other users of its container" {
	sh_in 'su -s /bin/sh u1 -c "exec sleep 31372" & sleep 0.3; ps -o user,args | grep "^u1 *sleep 31372"'
	is "$(wc -l <"$T/out")" 1
}

@test "no process of the host exists in /proc" {
	ours || skip "another pid namespace"
	local host
	host="2 $$ $PPID"
	sh_in "for p in $host; do [ -e /proc/\$p ] && echo sees \$p; done; echo end"
	out_is end
}

@test "init and supervisor are not listed" {
	ours || skip "only this runtime promises it"
	started 'exec sleep 100'
	local s i
	s=$(pid_of "$ID")
	i=$(init_of "$ID")
	rt delete --force "$ID"
	started "sleep 0.3; ls /proc | grep -E '^[0-9]+$' | while read p; do echo \$p \$(cat /proc/\$p/comm 2>/dev/null); done"
	wait_state "$ID" stopped
	if grep sandlock "$T/$ID.out"; then false; fi
}

@test "the numbers in /proc are the processes that ps and \$\$ agree on" {
	sh_in 'ls -d /proc/$$ && readlink /proc/self >/dev/null && echo same'
	is "$(tail -1 "$T/out")" same
}
