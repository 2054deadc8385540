#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The umask is 0022 or the bundle's, whatever the caller's is.
load ../lib/harness

@test "0022 under a caller with 077" {
	umask 077
	sh_in 'umask'
	out_is 0022
}

@test "process.user.umask is honoured" {
	sh_in 'umask' '.process.user.umask = 23'
	out_is 0027
}

@test "the working directory made under umask 077 is 0755 and root's" {
	umask 077
	sh_in 'stat -c "%a %u" /made/for/me; stat -c %a /made' \
		'.process.cwd = "/made/for/me" | .process.user = {uid: 1000, gid: 1000}'
	out_is "$(printf '755 0\n755')"
}

@test "mount points made under umask 077 can be entered" {
	umask 077
	sh_in 'stat -c %a /data' '.process.user = {uid: 1000, gid: 1000} |
		.mounts += [{destination: "/data/deep/er", type: "tmpfs", source: "tmpfs"}]'
	out_is 755
}
