#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every number from 0 to 511, and with the x32 bit, is called inside and outside. What the
# list (runtime/seccomp/syscalls.def) refuses has its exact errno; what it lets pass gets what
# the kernel says outside with the same rights.
load lib

outside() {
	export root=$T/outside caps="-all,$CONTAINER_CAPS"
	escape_root "$root"
	unshare -m -u --propagation private bash -c '
		mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 126
		exec setpriv --no-new-privs --bounding-set "$caps" chroot "$root" /attack syscalls
	' >"$T/outside.out" </dev/null 2>"$T/outside.err" 3>&- 4>&-
}

@test "every call number, inside and outside" {
	outside
	attack_run '["/attack", "syscalls"]'
	ok
	[ "$(tail -1 "$T/outside.out")" = end ]
	[ "$(tail -1 "$T/out")" = end ]
	# number, name, expected, inside, outside
	paste "$T/out" <(cut -f4 "$T/outside.out") | grep -v '^end' | awk -F'\t' '
		{ want = $3 == "same" ? $5 : $3; n++ }
		$4 != want { print $1, $2 ": inside", $4, "expected", want, "outside", $5; bad = 1 }
		# The control: outside, no call but those of the kernel'"'"'s own kind says so.
		$3 == "EPERM" && $5 == "EPERM" { same++ }
		END { print n, "calls,", same + 0, "of the refused ones are so outside too"
			exit bad || n != 1024 }'
}
