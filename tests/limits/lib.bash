# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the files about limits and statistics share. `load` is tests/helpers/load.c.
load ../lib/harness

# loaded SCRIPT [JQ-EXPRESSION]: like started(), with `load` in /bin.
loaded() {
	new_id
	bundle "$T/$ID" "${2:-.}"
	cp "$HELPERS/load" "$T/$ID/rootfs/bin/load"
	jq --arg s "$1" '.process.args = ["sh", "-c", $s]' "$T/$ID/config.json" >"$T/$ID/c"
	mv "$T/$ID/c" "$T/$ID/config.json"
	create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
}

# stat_of EXPRESSION: prints a jq expression of the statistics of $ID.
stat_of() {
	rt events --stats "$ID"
	ok
	jq -r ".data | $1" "$T/out"
}

between() {
	if [ "$2" -lt "$1" ] || [ "$2" -gt "$3" ]; then
		echo "$2 is not between $1 and $3"
		return 1
	fi
}

# from_nice_0: what a container weighs is added to the caller's nice value, and the suite may have one.
from_nice_0() {
	renice -n 0 -p $BASHPID >/dev/null
}
