#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Profiles: what they say holds, and the command line adds to it.
load lib

setup() {
	sandlock_setup userns
	export XDG_CONFIG_HOME=$T/config
	mkdir -p "$T/config/sandlock/profiles" "$T/w/in"
	echo seen >"$T/w/in/file"
	chown -R "$SOME_UID:$SOME_UID" "$T/w"
	cat >"$T/config/sandlock/profiles/agent.toml" <<-END
		[program]
		exec = "sh"
		args = ["-c", "cat \"$T/w/in/file\"; echo \$A; echo x > \"$T/w/in/new\""]
		env = { A = "by the profile" }
		[filesystem]
		read = ["/usr", "/lib", "/etc", "$T/w/in"]
	END
}

@test "a profile is the command and its limits" {
	sl run -p agent
	is "$(cat "$T/out")" "$(printf 'seen\nby the profile')"
	err_has "Read-only file system"
	[ ! -e "$T/w/in/new" ]
}

@test "the command line adds to it, and counts instead of it" {
	sl run --profile agent -w "$T/w/in" --env A=by-the-flag
	is "$rc" 0
	is "$(cat "$T/out")" "$(printf 'seen\nby-the-flag')"
	is "$(cat "$T/w/in/new")" x
	sl run -p agent -- sh -c 'echo other; exit 7'
	is "$rc" 7
	is "$(cat "$T/out")" other
}

@test "another file, and what cannot be read" {
	cp "$T/config/sandlock/profiles/agent.toml" "$T/w/mine"
	sl run --profile-file mine -- true
	is "$rc" 0
	sl run --profile-file mine -p agent -- true
	is "$rc" 1
	err_has "--profile and --profile-file: expected one of them"
	sl run -p nobody -- true
	is "$rc" 1
	err_has "/config/sandlock/profiles/nobody.toml"
	printf '[limits]\nmemroy = "1G"\n' >"$T/w/mine"
	sl run --profile-file mine -- true
	is "$rc" 1
	err_has "profile mine: line 2, column 1: unknown key limits.memroy; the nearest one is limits.memory"
}
