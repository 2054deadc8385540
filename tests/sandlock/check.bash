# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# What is said about views; each view's bats file has a test of each function.

check_says_which_view() {
	sl check
	is "$rc" 0
	grep -qE "^view $VIEW +yes, and the one that run takes$" "$T/out"
	grep -q "^landlock.fs *yes$" "$T/out"
	! grep -q MISSING "$T/out"
	sl check x
	is "$rc" 1
	sl run --view nonsense -- true
	is "$rc" 1
	err_has "--view nonsense: expected auto, tree or userns"
}

explain_says_what_would_be_done() {
	mkdir -p "$T/w/d"
	sl run "${BASE[@]}" -w "$T/w" --fs-deny "$T/w/d" --net-allow tcp://192.0.2.1:443 -m 1M --explain \
		-- no-such-program
	is "$rc" 0
	grep -qE "^view +$VIEW: this process may" "$T/out"
	grep -qE "^read +/usr$" "$T/out"
	! grep -qE "^read +/lib$" "$T/out"
	grep -qE "^write +$T/w$" "$T/out"
	grep -qE "^deny +$T/w/d$" "$T/out"
	grep -qE "^symlink +/lib -> " "$T/out"
	grep -qE "^memory +1048576$" "$T/out"
	grep -q "192.0.2.1" "$T/out"
	[ -z "$(ls -A "$T/state")" ]
	sl run --explain -m 1X -- true
	is "$rc" 1
}

# Without the right to make user namespaces: this machine's limit is taken away in a user namespace.
check_without_user_namespaces() {
	as_user unshare --user --map-current-user --keep-caps sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
		exec setpriv --bounding-set -all --inh-caps -all --ambient-caps -all "$@"' sh \
		"$T/sandlock" run "${BASE[@]}" -- true
	is "$rc" 1
	err_has "view userns: make a user namespace (user.max_user_namespaces"
}
