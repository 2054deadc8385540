#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The environment of hooks on the host: their own, or the runtime's; createContainer: the process'.
load ../lib/harness

# hooked KIND HOOK-MEMBERS: runs a container with this hook, whose environment is then in $T/env.
hooked() {
	printf '#!/bin/sh\n/usr/bin/env >"%s/env"\n' "$T" >"$T/hook"
	chmod 755 "$T/hook"
	rm -f "$T/env"
	bundle "$T/b" ".process.args = [\"true\"] | .process.env += [\"OF=process\"] |
		.hooks = {$1: [{path: \"$T/hook\"} + $2]}"
	OF_CALLER=yes run_bundle "$T/b"
	ok
}

@test "a hook without an environment has the runtime's" {
	local kind
	for kind in prestart createRuntime poststart poststop; do
		echo "$kind"
		hooked "$kind" '{}'
		has "$T/env" OF_CALLER=yes
		has "$T/env" "PATH=$PATH"
	done
}

@test "createContainer hooks without an environment have the process'" {
	hooked createContainer '{}'
	has "$T/env" OF=process
	if grep OF_CALLER "$T/env"; then false; fi
}

@test "an environment of its own is all it has, and an empty one is empty" {
	local kind
	for kind in prestart createRuntime createContainer poststart poststop; do
		echo "$kind"
		hooked "$kind" '{env: ["E=1"]}'
		is "$(grep -v -e ^PWD= -e ^_= -e ^SHLVL= "$T/env")" E=1
		hooked "$kind" '{env: []}'
		is "$(grep -v -e ^PWD= -e ^_= -e ^SHLVL= "$T/env" || true)" ""
	done
}
