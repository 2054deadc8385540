#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# io.sandlock.process.pid1: the main process believes that it is process 1. The same under runc,
# where the bundle has a pid namespace.
load ../lib/harness

PID1='.annotations["io.sandlock.process.pid1"] = "true" | .linux.namespaces |= (. + [{type: "pid"}] | unique)'

@test "getpid of the main process is 1, and getppid of its children and orphans" {
	sh_in 'echo $$ $PPID; sh -c "echo \$PPID; [ \$\$ -gt 1 ] && echo other"
		sh -c "sh -c \"[ \\\$PPID -gt 1 ] && echo other\"; true"
		sh -c "(sleep 0.3; exec sh -c \"echo orphan \\\$PPID\") & true"
		sleep 0.6' "$PID1"
	out_is "$(printf '%s\n' '1 0' 1 other other 'orphan 1')"
}

@test "a main process that signals itself by that number" {
	bundle "$T/b" "$PID1 | .process.args = [\"probe\", \"signal\", \"kill\", \"1\", \"0\"]"
	run_bundle "$T/b"
	out_is ok
	ours || return 0 # pid 1 of a namespace is immune
	# raise(3) is tgkill(getpid(), gettid(), …).
	bundle "$T/b" "$PID1 | .process.args = [\"probe\", \"die\", \"6\"]"
	run_bundle "$T/b"
	is "$rc" 134
}

@test "exec'd processes are told their own numbers" {
	started 'exec sleep 31388' "$PID1"
	rt exec "$ID" sh -c '[ $$ -gt 1 ] && echo other; sh -c "[ \$PPID -gt 1 ] && echo other"; true'
	out_is "$(printf 'other\nother')"
	rt delete --force "$ID"
}

@test "without it, or with false, nothing is asked and the numbers are the kernel's" {
	ours || skip "numbers of a namespace"
	local value
	for value in '.' '.annotations["io.sandlock.process.pid1"] = "false"'; do
		started 'sh -c "echo \$PPID"; echo $$; exec sleep 31389' "$value"
		eventually 5 awk 'END { exit NR < 2 }' "$T/$ID.out"
		is "$(uniq "$T/$ID.out")" "$(workload_of "$ID")"
		rt events --stats "$ID"
		json '.data.sandlock.notifications | has("getpid") or has("getppid") | not' "$T/out"
		rt delete --force "$ID"
	done
}

@test "another value, or one that the node does not allow, is refused by name" {
	ours || skip "runc ignores them"
	refused_bundle '.annotations["io.sandlock.process.pid1"] = "yes"' 'true | false'
	echo '{"annotations": {"allow": ["io.sandlock.network.*"]}}' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
	refused_bundle "$PID1" 'annotation io.sandlock.process.pid1: "true" is not allowed by the node policy'
}
