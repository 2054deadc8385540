#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reach.py PID: what a process may do to another one that it has been told of. Prints a line for each attempt,
"ok" or the errno's name; at last "alive" if the process is still there for kill(2)."""
import ctypes
import errno
import os
import signal
import sys

pid = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE, PTRACE_DETACH, PIDFD_GETFD, RLIMIT_CORE = 0x4206, 17, 438, 4


def call(rc):
    if rc < 0:
        raise OSError(ctypes.get_errno(), "")
    return rc


def opened(name, flags=os.O_RDONLY):
    fd = os.open(f"/proc/{pid}/{name}", flags)
    try:
        # The environment of a process may be opened before it is refused.
        os.pread(fd, 1, 0) if name == "environ" else None
    finally:
        os.close(fd)


def memory():
    buf = ctypes.create_string_buffer(8)
    vec = (ctypes.c_ulong * 2)(ctypes.addressof(buf), 8)
    far = (ctypes.c_ulong * 2)(0x400000, 8)
    rc = libc.process_vm_readv(pid, vec, 1, far, 1, 0)
    if rc < 0 and ctypes.get_errno() == errno.EFAULT:
        return  # it may, and there is nothing at that address
    call(rc)


def trace():
    call(libc.ptrace(PTRACE_SEIZE, pid, 0, 0))
    # It runs, so it cannot be detached from; the end of this process does.


def descriptor():
    fd = os.pidfd_open(pid)
    try:
        call(libc.syscall(PIDFD_GETFD, fd, 3, 0))
    finally:
        os.close(fd)


ATTEMPTS = {
    "environ": lambda: opened("environ"),
    "mem": lambda: opened("mem", os.O_RDWR),
    "maps": lambda: opened("maps"),
    "vm_readv": memory,
    "getfd": descriptor,
    "fd": lambda: os.listdir(f"/proc/{pid}/fd"),
    "prlimit": lambda: call(libc.prlimit(pid, RLIMIT_CORE, (ctypes.c_ulong * 2)(0, 0), None)),
    "signal": lambda: os.kill(pid, 0),
    "trace": trace,
}
for name, attempt in ATTEMPTS.items():
    try:
        attempt()
        print(name, "ok")
    except OSError as e:
        print(name, errno.errorcode.get(e.errno, e.errno))
if len(sys.argv) > 2:
    try:
        os.kill(pid, signal.SIGKILL)
        print("kill ok")
    except OSError as e:
        print("kill", errno.errorcode.get(e.errno, e.errno))
