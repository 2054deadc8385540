#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# process.args: lookup, and the error texts that callers match.
load ../lib/harness

@test "2 MiB of arguments arrive or are refused with the kernel's reason" {
	bundle "$T/b" '.process.args = ["probe", "args"] + [range(20) | "y" * 100000]'
	run_bundle "$T/b"
	if [ "$rc" -eq 0 ]; then
		out_is "20 2000020"
	else
		fails 'rgument list too long'
		rt delete --force "$ID"
	fi
}

@test "1 MiB of arguments arrive" {
	bundle "$T/b" '.process.args = ["probe", "args"] + [range(10000) | "y" * 100]'
	run_bundle "$T/b"
	ok
	out_is "10000 1010000"
}

@test "a command that is not in PATH fails create with the known text" {
	bundle "$T/b" '.process.args = ["nosuch"]'
	create x "$T/b"
	fails 'exec: "nosuch": executable file not found in $PATH'
	rt state x
	fails 'does not exist'
}

@test "an absolute command that is missing fails create" {
	bundle "$T/b" '.process.args = ["/no/such"]'
	create x "$T/b"
	fails 'no such file or directory'
}

@test "a directory as command is permission denied" {
	bundle "$T/b" '.process.args = ["/etc"]'
	create x "$T/b"
	fails 'permission denied'
}

@test "a file without the x bit is permission denied" {
	bundle "$T/b" '.process.args = ["/etc/passwd"]'
	create x "$T/b"
	fails 'permission denied'
}

@test "the lookup uses the bundle's PATH inside the container" {
	bundle "$T/b" '.process.env = ["PATH=/nowhere:/opt/x"] | .process.args = ["tool"]'
	mkdir -p "$T/b/rootfs/opt/x"
	cp "$T/b/rootfs/bin/busybox" "$T/b/rootfs/opt/x/tool"
	printf '#!/bin/sh\necho tool ran\n' >"$T/b/rootfs/opt/x/tool"
	run_bundle "$T/b"
	ok
	out_is "tool ran"
}

@test "a program the kernel cannot execute fails start and is reported" {
	bundle "$T/b" '.process.args = ["/bin/garbage"]'
	printf 'not a program' >"$T/b/rootfs/bin/garbage"
	chmod 755 "$T/b/rootfs/bin/garbage"
	new_id
	create "$ID" "$T/b"
	[ "$rc" -ne 0 ] || rt start "$ID"
	[ "$rc" -ne 0 ]
	grep -qi 'exec format error' "$T/err"
}

@test "a script with a missing interpreter fails start and is reported" {
	bundle "$T/b" '.process.args = ["/bin/script"]'
	printf '#!/no/such/interpreter\n' >"$T/b/rootfs/bin/script"
	chmod 755 "$T/b/rootfs/bin/script"
	new_id
	create "$ID" "$T/b"
	[ "$rc" -ne 0 ] || rt start "$ID"
	[ "$rc" -ne 0 ]
	grep -qi 'no such file or directory' "$T/err"
}

@test "empty args are refused" {
	bundle "$T/b" '.process.args = []'
	create x "$T/b"
	fails 'args must not be empty'
}

@test "a directory in PATH is no program, nor is a file without the x bit" {
	bundle "$T/b" '.process.env = ["PATH=/:/etc"] | .process.args = ["tmp"]'
	create x "$T/b"
	fails 'executable file not found in $PATH'
	config "$T/b" '.process.env = ["PATH=/:/etc"] | .process.args = ["passwd"]'
	create x "$T/b"
	fails 'executable file not found in $PATH'
}

@test "what the kernel says of a program, in runc's words" {
	bundle "$T/b" '.process.args = ["/bin/garbage"]'
	echo garbage >"$T/b/rootfs/bin/garbage"
	printf '#!/no/such\n' >"$T/b/rootfs/bin/script"
	chmod 755 "$T/b/rootfs/bin/garbage" "$T/b/rootfs/bin/script"
	run_bundle "$T/b"
	fails 'exec /bin/garbage: exec format error'
	config "$T/b" '.process.args = ["/bin/script"]'
	run_bundle "$T/b"
	fails 'exec /bin/script: no such file or directory'
}
