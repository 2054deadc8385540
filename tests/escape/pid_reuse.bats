#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills the machine
# The supervisor sets limits by process id. When a process is killed while it waits for its limits, no
# process of the host may get its id before the supervisor has finished.
load lib

# in_few_numbers SCRIPT ARGS...: runs it in a pid namespace with few process ids.
in_few_numbers() {
	timeout -k 5 300 unshare -pf --mount-proc bash -c \
		'echo 400 >/proc/sys/kernel/pid_max && . "$0"' "$@" 3>&- 4>&-
}

@test "a number is not given out again before its process is set up: 200 attempts" {
	ours || skip "what is stopped is this runtime's supervisor"
	bundle "$T/b" '.process.args = ["sleep", "1000"]'
	jq '.process | .args = ["true"] | .rlimits = [{type: "RLIMIT_NOFILE", soft: 777, hard: 777}]' \
		"$T/b/config.json" >"$T/p.json"
	cat >"$T/script" <<-'END'
		set -eu
		runtime=$1 root=$2 dir=$3 helper=$4
		"$runtime" --root "$root" run --detach --pid-file "$dir/pid" --bundle "$dir/b" few \
			</dev/null >/dev/null
		supervisor=$(cat "$dir/pid")
		for init in $(cat /proc/$supervisor/task/*/children); do
			for task in /proc/$init/task/*; do
				if grep -q '^Seccomp:.2' "$task/status"; then tid=${task##*/}; fi
			done
		done
		# The control: without an attack the exec'd process has the limit that it asks for.
		"$runtime" --root "$root" exec few sh -c 'ulimit -n' >"$dir/plain"
		jq '.args = ["sh", "-c", "ulimit -n"]' "$dir/p.json" >"$dir/q.json"
		"$runtime" --root "$root" exec --process "$dir/q.json" few >"$dir/set"
		"$helper" 200 "$supervisor" "$tid" "$runtime" --root "$root" exec \
			--process "$dir/p.json" few </dev/null 2>"$dir/clients"
		"$runtime" --root "$root" delete --force few
	END
	in_few_numbers "$T/script" "$RUNTIME" "$ROOT" "$T" "$BUILD/tests/helpers/pidreuse" >"$T/out"
	is "$(cat "$T/set")" 777
	[ "$(cat "$T/plain")" != 777 ]
	# When the supervisor has finished, the id can be used again.
	is "$(cat "$T/out")" "early 0 later 200 changed 0"
	is "$(grep -c '^exec failed: .*the process was killed before it was' "$T/clients")" 200
}
