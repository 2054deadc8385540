#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The container's size as Debian's nproc, free, top, getconf and python3 report it. Control: without a
# limit they report the machine's, with runc and with this runtime.
load lib

limits='.linux.resources = {cpu: {cpus: "1"}, memory: {limit: 209715200}}'

counts='nproc; getconf _NPROCESSORS_ONLN; getconf _NPROCESSORS_CONF'

@test "nproc and getconf" {
	same "$(nproc) $(getconf _NPROCESSORS_ONLN)" "echo \$(nproc) \$(getconf _NPROCESSORS_ONLN)"
	ours || return 0
	prints "1 1 1" "echo \$($counts)" "$limits"
}

@test "free and top" {
	ours || skip "runc's container sees the machine"
	prints "204800 0" 'free -k | awk "/^Mem/ { print \$2, (\$3 > 204800) }"' "$limits"
	prints "200.0" 'top -b -n 1 | sed -n "s/^MiB Mem *: *\([0-9.]*\) total.*/\1/p"' "$limits"
}

@test "python3" {
	same "$(nproc)" 'python3 -c "import os; print(os.cpu_count())"'
	ours || return 0
	prints "1 1 200" 'python3 -c "import os
print(os.cpu_count(), len(os.sched_getaffinity(0)), os.sysconf(\"SC_PHYS_PAGES\") * os.sysconf(\"SC_PAGE_SIZE\") >> 20)"' "$limits"
}
