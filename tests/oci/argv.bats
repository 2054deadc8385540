#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The forms of tests/oci/cases/argv.txt: each parses, gives its status, and leaves the
# container in the state that its caller goes on from.
load ../lib/harness

# in_state STATE ARGV: a container $ID in that state, for that command.
in_state() {
	new_id
	[ "$1" != none ] || return 0
	# A limit can be changed where there is one.
	if [[ $2 == *update* ]]; then create "$ID" "$T/limited"; else create "$ID" "$T/b"; fi
	ok
	[ "$1" != created ] || return 0
	rt start "$ID"
	ok
	case $1 in
	paused) rt pause "$ID"; ok ;;
	stopped) rt kill "$ID" KILL; ok; wait_state "$ID" stopped ;;
	esac
}

# one STATE STATUS AFTER ARGV
one() {
	local B=$T/b P=$T/pid L=$T/log F=$T/process.json R=$T/resources.json S=$T/none I words
	in_state "$1" "$4"
	I=$ID
	rm -f "$P" "$L"
	# `run` waits for the end of what it runs.
	case $4 in
	*' run '*) [[ $4 == *' -d '* || $4 == *--detach* ]] || B=$T/short ;;
	esac
	eval "words=($4)"
	STDIN=$R rt "${words[@]}"
	if [ "$rc" -ne "$2" ]; then
		echo "status $rc, expected $2: $4"
		cat "$T/err"
		return 1
	fi
	if [ "$rc" -ne 0 ] && [ ! -s "$T/err" ] && [[ $4 != *exec* ]]; then
		echo "no message: $4"
		return 1
	fi
	if [ "$3" = none ]; then
		is "$(state_word "$ID"): $4" "none: $4"
	else
		wait_state "$ID" "$3" || { echo "$4"; return 1; }
	fi
	rt delete --force "$ID"
	ok
}

@test "every form of every caller" {
	local before status after argv bad=0 n=0
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	cp -a "$T/b" "$T/short"
	cp -a "$T/b" "$T/limited"
	jq '.process.args = ["true"]' "$T/b/config.json" >"$T/short/config.json"
	jq '.linux.resources += {memory: {limit: 50000000}, pids: {limit: 50}, cpu: {cpus: "0"}}' \
		"$T/b/config.json" >"$T/limited/config.json"
	echo '{"cwd": "/", "user": {"uid": 0, "gid": 0}, "env": ["PATH=/bin"], "args": ["true"]}' >"$T/process.json"
	echo '{"memory": {"limit": 100000000}, "pids": {"limit": 100}, "cpu": {"shares": 512}}' >"$T/resources.json"
	while IFS='|' read -r before status after argv; do
		[ -n "$argv" ] || continue
		n=$((n + 1))
		one "${before// /}" "${status// /}" "${after// /}" "$argv" >"$T/said" 2>&1 </dev/null ||
			{ bad=$((bad + 1)); cat "$T/said"; rt delete --force "$ID"; }
	done < <(grep -v '^#' "$BATS_TEST_DIRNAME/cases/argv.txt")
	echo "$n forms, $bad wrong"
	[ "$bad" -eq 0 ] && [ "$n" -gt 80 ]
}
