#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the sockets of all shims of the machine
# The output of a process goes to a file or to a program in place of the client.
load ../lib/shim

# logged URI: a container that writes to both, under ctr, which deletes it at once.
logged() {
	shim_run "$BUSYBOX" "$MARK" --rm --log-uri "$1" -- sh -c 'echo out; echo err >&2'
}

@test "file://: both are appended, directories are made" {
	mkdir "$T/log"
	echo before >"$T/log/f"
	logged "file://$T/log/f"
	ok
	is "$(sort "$T/log/f" | tr '\n' ' ')" "before err out "
	logged "file://$T/new/dir/f"
	ok
	is "$(sort "$T/new/dir/f" | tr '\n' ' ')" "err out "
	is "$(stat -c %a "$T/new/dir/f")" 644
}

@test "binary://: the program gets both, its words and two variables" {
	cat >"$T/logger" <<-'END'
		#!/bin/sh
		echo "$*" >"$2.words"
		env | grep CONTAINER_ | sort >"$2.env"
		exec 5>&-
		cat <&3 >"$2.out"
		cat <&4 >"$2.err"
	END
	chmod 755 "$T/logger"
	logged "binary://$T/logger?file=$T/got&two=a%20b"
	ok
	is "$(cat "$T/got.out")" out
	is "$(cat "$T/got.err")" err
	is "$(cat "$T/got.words")" "file $T/got two a b"
	is "$(tr '\n' ' ' <"$T/got.env")" "CONTAINER_ID=$MARK CONTAINER_NAMESPACE=default "
}

@test "a logger that is not there, or an address that is none, fails the container" {
	logged "binary://$T/nosuch"
	[ "$rc" -ne 0 ]
	has "$T/err" nosuch
	logged "ttrpc+unix://$T/stream"
	[ "$rc" -ne 0 ]
	has "$T/err" 'expected a path, fifo://, file:// or binary://; io_type = "streaming" is not offered'
}

@test "a logger that does not end is ended" {
	printf '#!/bin/sh\nexec 5>&-\nexec sleep 1000\n' >"$T/logger"
	chmod 755 "$T/logger"
	logged "binary://$T/logger"
	ok
	no_logger() { ! pgrep -f "CONTAINER_ID=$MARK" && ! pgrep -f "$T/logger"; }
	eventually 3 no_logger
}
