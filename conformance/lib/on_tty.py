#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a terminal of its own, types at it, and prints what it showed.

usage: on_tty.py [--size ROWSxCOLS] [--resize ROWSxCOLS] [--type TEXT | --paste COUNT]...
                 [--deaf SECONDS] -- COMMAND...

Each TEXT (with the escapes of a Python string), or so many letters, is typed once the command has
shown something and then been silent for a moment; --resize takes place before the last one. With
--deaf nothing is read any more after the last one, and a command that has not ended SECONDS later
is an error. The status is the command's.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

QUIET = 0.7
SLOW = 10  # a command that shows nothing of itself is typed at after this time
LIMIT = 60


def set_size(fd, text):
    rows, cols = (int(n) for n in text.split("x"))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def options(argv):
    opts = {"--size": None, "--resize": None, "--type": [], "--deaf": None}
    while argv and argv[0] != "--":
        if argv[0] == "--type":
            opts["--type"].append(argv[1].encode().decode("unicode_escape").encode("latin-1"))
        elif argv[0] == "--paste":
            opts["--type"].append(b"p" * int(argv[1]))
        else:
            opts[argv[0]] = argv[1]
        argv = argv[2:]
    return opts, argv[1:]


def wait_deaf(pid, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            sys.exit(os.waitstatus_to_exitcode(status) & 0xff)
        time.sleep(0.02)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    sys.exit("on_tty.py: it did not end in time")


def main():
    opts, command = options(sys.argv[1:])
    typed = opts["--type"]
    pid, master = pty.fork()
    if pid == 0:
        if opts["--size"]:
            set_size(0, opts["--size"])
        os.execvp(command[0], command)
    start = time.monotonic()
    end = start + LIMIT
    shown = False
    pending = b""
    while time.monotonic() < end:
        if opts["--deaf"] and not typed and not pending:
            wait_deaf(pid, float(opts["--deaf"]))
        ready, room, _ = select.select([master], [master] if pending else [], [], QUIET)
        if room:
            # Small, because a terminal takes only a part of what is more than its room.
            pending = pending[os.write(master, pending[:64]):]
        if ready:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            shown = True
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        elif not room and typed and (shown or time.monotonic() > start + SLOW):
            if len(typed) == 1 and opts["--resize"]:
                set_size(master, opts["--resize"])
                time.sleep(0.3)
            pending += typed.pop(0)
    if time.monotonic() >= end:
        print("\non_tty.py: it did not end in time")
        os.kill(pid, 9)
    _, status = os.waitpid(pid, 0)
    sys.exit(os.waitstatus_to_exitcode(status) & 0xff)


main()
