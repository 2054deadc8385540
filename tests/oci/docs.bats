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
