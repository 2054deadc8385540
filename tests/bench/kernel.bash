# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The kernel's share of a start, by itself: the tree, the filter as the search tree it is and
# as a list of the same decisions, Landlock.

bench_kernel() {
	local round what us runs=${SMOKE:+5}
	for ((round = 0; round < ROUNDS; round++)); do
		# shellcheck disable=SC2046
		$(timed) "$TOOLS/confine_time" "${runs:-100}" >"$WORK/out"
		while read -r what us; do
			add_figure "kernel-$what.ours" "$us"
		done <"$WORK/out"
	done
	row_of "install the filter" us "" kernel-filter-tree
	row_of "install the same as a list" us "" kernel-filter-list
	row_of "getppid without a filter" ns "" kernel-call-none
	row_of "getppid under the filter" ns "" kernel-call-tree
	row_of "getppid under the list" ns "" kernel-call-list
	row_of "make the Landlock ruleset" us "" kernel-landlock-prepare
	row_of "enter the Landlock domain" us "" kernel-landlock-enter
	# shellcheck disable=SC2046
	$(timed) "$SANDLOCK_BUILD/bin/tests/bench_tree_time" >"$WORK/out"
	while read -r what; do
		say "tree: $what"
	done <"$WORK/out"
}
