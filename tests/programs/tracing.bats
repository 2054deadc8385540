#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs that trace their own children, as Debian builds them, for root and for a user that
# has no capabilities. The bundle does not grant CAP_SYS_PTRACE.
load lib

# leaks JQ: gcc's leak checker, which stops the program by ptrace, finds what was lost; without a
# leak the status is the program's own.
leaks() {
	program_in 'cat >l.c <<-END
			#include <stdlib.h>
			#include <stdio.h>
			int main(int n, char **a) { char *p = malloc(77); p[0] = 1; if (n > 1) free(p);
				p = 0; puts("ran"); return 3; }
		END
		for kind in address leak; do
			gcc -g -fsanitize=$kind -o l l.c || exit 1
			./l free; echo "$?"
			./l >out 2>&1; echo "$?"; grep -o "77 byte(s) leaked in 1 allocation" out
		done' "$1"
	ok
	out_is "$(printf '%s\n' ran 3 1 '77 byte(s) leaked in 1 allocation' ran 3 23 '77 byte(s) leaked in 1 allocation')"
}

@test "gcc -fsanitize=address and leak, root" {
	both leaks .
}

@test "gcc -fsanitize=address and leak, a user" {
	both leaks "$AS_USER"
}

# It starts its helper by a clone that shares the descriptors.
@test "gcc -fsanitize=address and leak with a rule for UDP, root and a user" {
	ours || skip "another network"
	local rule='.annotations["io.sandlock.network.allow"] = "udp://192.0.2.7:53"'
	leaks "$rule"
	leaks "$AS_USER | $rule"
}

traces() {
	program_in 'strace -f -o log -e trace=execve,exit_group sh -c "/bin/echo one; (exit 5)"; echo "$?"
		grep -c "execve(\"/bin/echo\"" log' "$1"
	ok
	out_is "$(printf '%s\n' one 5 1)"
}

@test "strace -f, root" {
	both traces .
}

@test "strace -f, a user" {
	both traces "$AS_USER"
}

debugs() {
	program_in 'echo "int f(int x) { return x * 2; } int main(void) { return f(21); }" >d.c
		gcc -g -O0 -o d d.c || exit 1
		gdb -q -batch -ex "break f" -ex run -ex "print x" -ex "set var x = 4" -ex continue ./d >out 2>&1
		grep -o ".1 = 21" out; grep -o "exited with code 010" out
		sleep 100 & gdb -q -batch -p "$!" -ex "info proc" 2>/dev/null | grep -c "^cmdline = .sleep 100"
		kill "$!"' "$1"
	out_is "$(printf '%s\n' '$1 = 21' 'exited with code 010' 1)"
}

@test "gdb runs a program and attaches to another, root" {
	both debugs .
}

@test "gdb runs a program and attaches to another, a user" {
	both debugs "$AS_USER"
}
