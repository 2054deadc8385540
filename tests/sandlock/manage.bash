# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Listing sandboxes and ending them.

# in_background NAME OPTIONS... -- COMMAND...: a sandbox; its `run` is $run_pid.
in_background() {
	local name=$1
	shift
	"${AS[@]}" "$T/sandlock" run --name "$name" "${BASE[@]}" "$@" </dev/null >/dev/null 2>&1 3>&- 4>&- &
	run_pid=$!
}

lists() {
	sl ps
	grep -q "^$1 .* running .* $2" "$T/out"
}

manage_list() {
	local verb
	for verb in ps inspect kill check; do
		sl "$verb" --help
		is "$rc" 0
		is "$(head -1 "$T/out" | cut -d' ' -f1-3)" "usage: sandlock $verb"
	done
	sl ps more
	is "$rc" 1
	err_has 'ps takes no arguments: "more"'
	sl ps
	is "$rc" 0
	out_is 'No running sandboxes.'
	in_background one -- sleep 31301
	eventually 5 lists one 'sleep 31301'
	in_background two -- sleep 31302
	eventually 5 lists two 'sleep 31302'
	is "$(awk '{ print $1 }' "$T/out")" "$(printf 'NAME\none\ntwo')"
	is "$(tr '\0' ' ' <"/proc/$(awk '$1 == "one" { print $2 }' "$T/out")/cmdline")" 'sleep 31301 '
	sl kill one two
	is "$rc" 0
}

manage_ports() {
	in_background server --net-allow-bind 31303 --port-remap -- python3 -m http.server 31303
	eventually 10 lists server 'python3 -m http.server 31303'
	eventually 10 lists server '31303→31303 '
	sl kill server
	is "$rc" 0
}

# The options of a sandbox as a profile give the same sandbox.
manage_inspect() {
	in_background one -m 64M --env 'A=by "flag"' -w . -- sh -c 'echo "$A" >>said; exec sleep 31307'
	eventually 5 lists one 'sleep 31307'
	sl inspect one
	is "$rc" 0
	json '.state.id == "one" and .state.status == "running" and .profile.limits.memory == "64M"' "$T/out"
	json '.profile.program.args[0] == "-c"' "$T/out"
	sl inspect one --toml
	is "$rc" 0
	cp "$T/out" "$T/w/again.toml"
	chmod 644 "$T/w/again.toml"
	sl kill one
	cd "$T"
	sl run --profile-file "$T/w/again.toml" --timeout 1
	is "$rc" 124
	is "$(cat "$T/w/said")" "$(printf 'by "flag"\nby "flag"')"
	sl inspect one
	is "$rc" 1
	err_has "no sandbox named 'one'"
	sl inspect
	is "$rc" 1
	err_has 'usage: sandlock inspect NAME'
}

manage_kill() {
	local status=0
	in_background one -- sh -c 'sleep 31304 & exec sleep 31304'
	eventually 5 lists one 'sleep 31304'
	sl kill one
	is "$rc" 0
	grep -qE "^Killed sandbox 'one' \(child PID [0-9]+, supervisor PID [0-9]+\)$" "$T/out"
	wait "$run_pid" || status=$?
	is "$status" 137
	! pgrep -f 'sleep 31304' >/dev/null
	sl kill one
	is "$rc" 1
	err_has "no sandbox named 'one'"
	sl kill
	is "$rc" 1
	err_has 'usage: sandlock kill NAME'
}

# What a supervisor that was killed has left is not listed, and is gone after that.
manage_stale() {
	in_background one -- sleep 31305
	eventually 5 lists one 'sleep 31305'
	kill -9 "$run_pid"
	wait "$run_pid" || true
	eventually 5 nothing_is_listed
	is "$(ls "$ROOT")" ''
}

nothing_is_listed() {
	sl ps
	[ "$(cat "$T/out")" = 'No running sandboxes.' ]
}

# A command can call itself what it likes.
manage_escapes() {
	in_background one -- python3 -c 'import time; time.sleep(31306)' "$(printf 'a\033[2Jb')"
	eventually 5 lists one python3
	! grep -q "$(printf '\033')" "$T/out"
	grep -qF 'a\x1b[2Jb' "$T/out" || grep -qF 'a\033[2Jb' "$T/out" || {
		cat -A "$T/out"
		return 1
	}
	sl kill one
}
