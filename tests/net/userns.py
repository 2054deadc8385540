#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""userns.py COMMAND...: as root of a user namespace in which our users are 100000 and above."""
import ctypes
import os
import sys

CLONE_NEWUSER = 0x10000000

ready, mapped = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    if ctypes.CDLL(None).unshare(CLONE_NEWUSER) != 0:
        sys.exit(2)
    os.write(ready[1], b"x")
    os.read(mapped[0], 1)
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    os.execvp(sys.argv[1], sys.argv[1:])
os.read(ready[0], 1)
for name in "uid_map", "gid_map":
    with open(f"/proc/{child}/{name}", "w", encoding="ascii") as f:
        f.write("0 100000 65536\n")
os.write(mapped[1], b"x")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
