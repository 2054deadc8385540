#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills the machine
# Limits are set by number. A process that is killed while it waits for them must not hand its
# number on to a process of the host before the supervisor is done with it.
load lib

# in_few_numbers SCRIPT ARGS...: in a pid namespace that has a hundred of them.
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
		# The limit is set where nobody is in between.
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
	# Nothing at all keeps the number back once the supervisor is done.
	is "$(cat "$T/out")" "early 0 later 200 changed 0"
	is "$(grep -c '^exec failed: .*the process was killed before it was' "$T/clients")" 200
}
