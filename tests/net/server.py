#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Listeners that count who comes: server.py COUNTS ADDRESS:PORT...

Each address gets TCP and UDP. COUNTS is rewritten while it runs: one line "address:port tcp
udp" each. An address "dead:A:P" gets a listener whose queue is full, so that a connect to it
hangs. TCP sends "hi" and closes; UDP answers what came. Ends with its parent.
"""
import ctypes
import os
import socket
import sys
import threading
import time

ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
counts = {}
keep = []


def family(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def tcp(name, s):
    while True:
        c, _ = s.accept()
        counts[name][0] += 1
        try:
            c.sendall(b"hi\n")
        except OSError:
            pass
        c.close()


def udp(name, s):
    while True:
        data, peer = s.recvfrom(70000)
        counts[name][1] += 1
        try:
            s.sendto(data[:1000], peer)
        except OSError:
            pass


def dead(host, port):
    s = socket.socket(family(host))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((host, port))
    s.listen(0)
    keep.append(s)
    for _ in range(3):
        c = socket.socket(family(host))
        c.setblocking(False)
        c.connect_ex((host, port))
        keep.append(c)


def main():
    for arg in sys.argv[2:]:
        host, port = arg.removeprefix("dead:").rsplit(":", 1)
        host, port = host.strip("[]"), int(port)
        if arg.startswith("dead:"):
            dead(host, port)
            continue
        counts[arg] = [0, 0]
        for kind, serve in ((socket.SOCK_STREAM, tcp), (socket.SOCK_DGRAM, udp)):
            s = socket.socket(family(host), kind)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if kind == socket.SOCK_DGRAM:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
            s.bind((host, port))
            if kind == socket.SOCK_STREAM:
                s.listen(4096)
            threading.Thread(target=serve, args=(arg, s), daemon=True).start()
    while True:
        with open(sys.argv[1] + ".new", "w") as f:
            for name, (a, b) in counts.items():
                f.write(f"{name} {a} {b}\n")
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        time.sleep(0.05)


main()
