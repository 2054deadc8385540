#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What systemd is to a service: the other side of sd_notify(3) and sd_listen_fds(3).

usage: systemd.py notify PATH       a socket there (@NAME: an abstract one); a line for each message
       systemd.py activate N NAMES COMMAND...   with N sockets that listen, at ./activated.K
"""
import array
import os
import socket
import sys


def notify(path):
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind("\0" + path[1:] if path[0] == "@" else path)
    print("listening", flush=True)
    while True:
        data, control, _, _ = sock.recvmsg(4096, 4096)
        for _, _, fds in control:
            for fd in array.array("i", fds):
                os.close(fd)
        print(repr(data.decode()), flush=True)


def activate(count, names, command):
    for k in range(count):
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(f"activated.{k}")
        sock.listen(1)
        if sock.fileno() != 3 + k:
            os.dup2(sock.fileno(), 3 + k)
        os.set_inheritable(3 + k, True)
        sock.detach()
    os.environ["LISTEN_FDS"] = str(count)
    os.environ.setdefault("LISTEN_PID", str(os.getpid()))
    if names:
        os.environ["LISTEN_FDNAMES"] = names
    os.execvp(command[0], command)


if sys.argv[1] == "notify":
    notify(sys.argv[2])
else:
    activate(int(sys.argv[2]), sys.argv[3], sys.argv[4:])
