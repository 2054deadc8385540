#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it fills the machine
# 200 containers at once: all run, each answers, all end, and nothing is left.
load ../lib/harness

@test "200 containers at once" {
	local i n=200
	bundle "$T/b" '.process.args = ["sh", "-c", "echo up; exec sleep 1000"] | .root.readonly = true'
	for i in $(seq $n); do
		timeout 60 "$RUNTIME" --root "$ROOT" create --bundle "$T/b" --pid-file "$T/m$i.pid" "m$i" \
			</dev/null >"$T/m$i.out" 2>"$T/m$i.err" 3>&- || { cat "$T/m$i.err"; return 1; }
	done
	xargs -a <(seq $n) -P 8 -I{} timeout 60 "$RUNTIME" --root "$ROOT" start m{} </dev/null 3>&-
	rt list -q
	is "$(wc -l <"$T/out")" $n
	rt list --format json
	is "$(jq '[.[] | select(.status == "running")] | length' "$T/out")" $n
	xargs -a <(seq $n) -P 8 -I{} timeout 60 "$RUNTIME" --root "$ROOT" exec m{} echo x </dev/null >"$T/said" 3>&-
	is "$(grep -c x "$T/said")" $n
	is "$(cat "$T"/m*.pid 2>/dev/null | wc -c)" "$(cat "$T"/m*.pid | tr -d '\n' | wc -c)"
	xargs -a <(seq $n) -P 8 -I{} timeout 60 "$RUNTIME" --root "$ROOT" delete --force m{} </dev/null 3>&-
	rt list -q
	out_is ""
	is "$(cat "$T"/m*.out | grep -c up)" $n
}
