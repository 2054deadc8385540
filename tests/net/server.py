#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Listeners that count who comes: server.py COUNTS [KIND:]ADDRESS:PORT...

Each address gets TCP and UDP. COUNTS is rewritten while it runs: one line "address:port tcp
udp" each. Ends with its parent. TCP sends "hi" and closes, UDP answers what came, unless
KIND says otherwise:

    dead  the listener's queue is full, so that a connect to it hangs
    http  TCP answers every request with "hello"
    psql  TCP speaks as much of PostgreSQL's protocol as a SELECT takes
    dns   UDP answers for the names in COUNTS.names: "name address..." lines, read each time
"""
import ctypes
import ipaddress
import os
import socket
import struct
import sys
import threading
import time

ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
counts = {}
keep = []


def family(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def hi(c):
    c.sendall(b"hi\n")


def http(c):
    while c.recv(65536):
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n")


def psql(c):
    def say(kind, data=b""):
        c.sendall(kind + struct.pack("!I", len(data) + 4) + data)

    while True:
        code = struct.unpack("!II", c.recv(8, socket.MSG_PEEK))[1]
        c.recv(65536)
        if code in (80877103, 80877104):  # SSL, GSS: not here
            c.sendall(b"N")
            continue
        break
    say(b"R", struct.pack("!I", 0))
    say(b"S", b"server_version\x0015.0\x00")
    say(b"Z", b"I")
    while (kind := c.recv(1)) == b"Q":
        c.recv(struct.unpack("!I", c.recv(4))[0] - 4)
        say(b"T", struct.pack("!H", 1) + b"x\x00" + struct.pack("!IhIhih", 0, 0, 25, -1, -1, 0))
        say(b"D", struct.pack("!HI", 1, 5) + b"hello")
        say(b"C", b"SELECT 1\x00")
        say(b"Z", b"I")


def echo(data):
    return data[:1000]


def dns(data):
    labels, at = [], 12
    while data[at]:
        labels.append(data[at + 1 : at + 1 + data[at]].decode())
        at += 1 + data[at]
    kind, question = struct.unpack("!H", data[at + 1 : at + 3])[0], data[12 : at + 5]
    answers = []
    with open(sys.argv[1] + ".names") as f:
        names = {w[0]: w[1:] for w in map(str.split, f)}
    name = ".".join(labels).lower()
    for text in names.get(name, []):
        a = ipaddress.ip_address(text).packed
        if kind == (1 if len(a) == 4 else 28):
            answers.append(b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 1, len(a)) + a)
    flags = 0x8580 if name in names else 0x8583
    head = data[:2] + struct.pack("!HHHHH", flags, 1, len(answers), 0, 0)
    return head + question + b"".join(answers)


def tcp(name, s, speak):
    def one(c):
        try:
            speak(c)
        except (OSError, struct.error):
            pass
        c.close()

    while True:
        c, _ = s.accept()
        counts[name][0] += 1
        if speak is hi:
            one(c)
        else:
            threading.Thread(target=one, args=(c,), daemon=True).start()


def udp(name, s, answer):
    while True:
        data, peer = s.recvfrom(70000)
        counts[name][1] += 1
        try:
            s.sendto(answer(data), peer)
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
    kinds = {"": (hi, echo), "http": (http, echo), "psql": (psql, echo), "dns": (hi, dns)}
    for arg in sys.argv[2:]:
        kind = arg.split(":")[0] if arg.split(":")[0].isalpha() else ""
        name = arg[len(kind) + 1 :] if kind else arg
        host, port = name.rsplit(":", 1)
        host, port = host.strip("[]"), int(port)
        if kind == "dead":
            dead(host, port)
            continue
        counts[name] = [0, 0]
        for way, serve, speak in zip((socket.SOCK_STREAM, socket.SOCK_DGRAM), (tcp, udp), kinds[kind]):
            s = socket.socket(family(host), way)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if way == socket.SOCK_DGRAM:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
            s.bind((host, port))
            if way == socket.SOCK_STREAM:
                s.listen(4096)
            threading.Thread(target=serve, args=(name, s, speak), daemon=True).start()
    while True:
        with open(sys.argv[1] + ".new", "w") as f:
            for name, (a, b) in counts.items():
                f.write(f"{name} {a} {b}\n")
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        time.sleep(0.05)


main()
