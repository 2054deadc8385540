#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The pages of docs/ that come from tables are what the tables say, and the man page knows
# every command.
load ../lib/harness

@test "the generated pages are current" {
	ours || skip "about our own pages"
	SANDLOCK_BUILD=$BUILD "$REPO/docs/generate" --check
}

@test "the man page names every command and every global flag" {
	ours || skip "about our own page"
	rt --help
	ok
	local word
	for word in $(sed -n 's/^   \([a-z-]*\) .*/\1/p; s/^   --\([a-z-]*\).*/\1/p' "$T/out"); do
		sed 's/\\-/-/g' "$REPO/docs/man/sandlock-oci.8" | grep -qw -- "$word" || {
			echo "not in the man page: $word"
			return 1
		}
	done
}

# blocks LANGUAGE PAGE DIR: the code of a page as files 1, 2, ….
blocks() {
	mkdir -p "$3"
	awk -v open="\`\`\`$1" -v dir="$3" '
		$0 == open { n++; on = 1; next }
		/^```/ { on = 0 }
		on { print >(dir "/" n) }' "$2"
}

@test "the node policy to start from is accepted" {
	ours || skip "about our own page"
	blocks json "$REPO/docs/kubernetes.md" "$T/json"
	ls "$T/json/1"
	local f
	for f in "$T/json"/*; do
		rt --config "$f" check
		ok
		grep -q "^node policy  *$f" "$T/out"
	done
	# The control: the same with a mistake in it.
	sed 's/"ceiling"/"ceilling"/' "$T/json/1" >"$T/mistake"
	rt --config "$T/mistake" check
	fails "ceilling"
}
