#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: swap.py PORT

connect(2) to a listener of its own whose queue is full; while it waits, another thread puts PORT, where
another listener of its own is, into the address. Prints what a normal request to PORT gives, and what
the connect gave.
"""
import ctypes
import errno
import os
import socket
import struct
import sys
import threading
import time

PORT = int(sys.argv[1])
FULL = PORT + 1


def listener(port, n):
    s = socket.socket()
    s.bind(("127.0.0.1", port))
    s.listen(n)
    return s


def answer(s):
    while True:
        c = s.accept()[0]
        c.recv(2000)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        c.close()


def request(s):
    s.settimeout(20)
    s.sendall(b"GET /private/x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % PORT)
    return s.recv(100).decode().split()[1]


def accept_all(s):
    while True:
        s.accept()


full, target = listener(FULL, 0), listener(PORT, 5)
threading.Thread(target=answer, args=(target,), daemon=True).start()
print("request", request(socket.create_connection(("127.0.0.1", PORT))), flush=True)
held = []
for _ in range(2):
    held.append(socket.socket())
    held[-1].setblocking(False)
    held[-1].connect_ex(("127.0.0.1", FULL))
address = ctypes.create_string_buffer(
    struct.pack("=HH4s8x", socket.AF_INET, socket.htons(FULL), socket.inet_aton("127.0.0.1")), 16)
libc = ctypes.CDLL(None, use_errno=True)
s = socket.socket()
said = []


def connect():
    done = libc.connect(s.fileno(), address, 16)
    said.append("connected" if done == 0 else errno.errorcode[ctypes.get_errno()])


waiter = threading.Thread(target=connect)
waiter.start()
time.sleep(1)
print("waits", waiter.is_alive(), flush=True)
ctypes.memmove(ctypes.addressof(address) + 2, struct.pack("!H", PORT), 2)
threading.Thread(target=accept_all, args=(full,), daemon=True).start()
waiter.join(20)
print("connect", *said, flush=True)
if said == ["connected"]:
    print("request", request(s), flush=True)
os._exit(0)
