# SPDX-License-Identifier: Apache-2.0
"""A peer of the shim: speaks ttrpc (frames and protobuf, by hand) as containerd does, and serves
the events that the shim sends. Anything that the protocol does not allow ends the test."""
import os
import queue
import socket
import struct
import subprocess
import threading
import time

REQUEST, RESPONSE = 1, 2
TASK = "containerd.task.v2.Task"


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def encode(fields):
    """{number: int | str | bytes | dict | list} -> bytes; zero values are left out."""
    out = b""
    for number, value in fields.items():
        for v in value if isinstance(value, list) else [value]:
            if isinstance(v, dict):
                v = encode(v)
            elif isinstance(v, str):
                v = v.encode()
            if isinstance(v, bytes):
                out += varint(number << 3 | 2) + varint(len(v)) + v
            elif v:
                out += varint(number << 3) + varint(int(v))
    return out


def read_varint(data, at):
    n = shift = 0
    while True:
        byte = data[at]
        at += 1
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return n, at


def decode(data):
    """bytes -> {number: [values]}"""
    at, out = 0, {}
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        elif key & 7 == 2:
            n, at = read_varint(data, at)
            assert at + n <= len(data), "a field is cut"
            value = data[at:at + n]
            at += n
        else:
            raise AssertionError(f"wire type {key & 7}")
        out.setdefault(key >> 3, []).append(value)
    return out


def text(message, number):
    return message.get(number, [b""])[0].decode()


def number(message, n):
    return message.get(n, [0])[0]


def frame(stream, kind, payload, flags=0):
    return struct.pack(">IIBB", len(payload), stream, kind, flags) + payload


def read_exactly(sock, n):
    data = b""
    while len(data) < n:
        more = sock.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def read_frame(sock):
    n, stream, kind, _ = struct.unpack(">IIBB", read_exactly(sock, 10))
    return stream, kind, read_exactly(sock, n)


class Failed(Exception):
    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class Client:
    """One connection; calls may be many at a time."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(20)
        self.sock.connect(path)
        self.stream = -1
        self.answers = {}

    def send(self, method, fields, service=TASK):
        self.stream += 2
        request = encode({1: service, 2: method, 3: encode(fields), 4: 10 ** 10,
                          5: {1: "containerd-namespace-ttrpc", 2: "test"}})
        self.sock.sendall(frame(self.stream, REQUEST, request))
        return self.stream

    def result(self, stream):
        while stream not in self.answers:
            got, kind, payload = read_frame(self.sock)
            assert kind == RESPONSE and got % 2 == 1, (kind, got)
            assert got not in self.answers, "answered twice"
            self.answers[got] = payload
        answer = decode(self.answers[stream])
        status = decode(answer[1][0]) if 1 in answer else {}
        if number(status, 1):
            raise Failed(number(status, 1), text(status, 2))
        return decode(answer.get(2, [b""])[0])

    def call(self, method, fields, service=TASK):
        return self.result(self.send(method, fields, service))

    def fails(self, code, method, fields, service=TASK, words=""):
        try:
            self.call(method, fields, service)
        except Failed as e:
            assert e.code == code and words in e.message, e
            return
        raise AssertionError(f"{method} succeeded")

    def close(self):
        self.sock.close()


class Events:
    """containerd's event service. refuse: connections end at once."""

    def __init__(self, path):
        self.path = path
        self.topics = queue.Queue()
        self.listen()

    def listen(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.bind(self.path)
        self.sock.listen(8)
        self.conns = []
        threading.Thread(target=self.accept, args=(self.sock,), daemon=True).start()

    def accept(self, listener):
        while True:
            try:
                conn, _ = listener.accept()
            except OSError:
                return
            self.conns.append(conn)
            threading.Thread(target=self.serve, args=(conn,), daemon=True).start()

    def serve(self, conn):
        try:
            while True:
                stream, kind, payload = read_frame(conn)
                request = decode(payload)
                assert kind == REQUEST and stream % 2 == 1
                assert text(request, 1) == "containerd.services.events.ttrpc.v1.Events"
                assert text(request, 2) == "Forward"
                envelope = decode(decode(request[3][0])[1][0])
                event = decode(envelope[4][0])
                assert number(decode(envelope[1][0]), 1) > 10 ** 9
                self.topics.put((text(envelope, 3), text(event, 1), decode(event.get(2, [b""])[0])))
                conn.sendall(frame(stream, RESPONSE, b""))
        except (EOFError, OSError):
            conn.close()

    def stop(self):
        self.sock.shutdown(socket.SHUT_RDWR)
        self.sock.close()
        for conn in self.conns:
            try:
                conn.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        os.unlink(self.path)

    def next(self, timeout=10):
        return self.topics.get(timeout=timeout)

    def expect(self, *topics):
        for topic in topics:
            got = self.next()
            assert got[0] == f"/tasks/{topic}", f"{got[0]}, expected {topic}"
            assert got[1].startswith("containerd.events.Task"), got
        return got[2]

    def silent(self):
        time.sleep(0.2)
        assert self.topics.empty(), self.topics.get()


class Shim:
    """The program, called as containerd calls it. bundle: of the container that it is started for."""

    def __init__(self, program, work, bundle, ident, namespace="test"):
        self.program, self.work, self.bundle = program, work, bundle
        self.id, self.namespace = ident, namespace
        self.ttrpc = os.path.join(work, "ttrpc")

    def run(self, action, stdin=b"", env=None, extra=(), bundle=None, ident=None):
        flags = ["-namespace", self.namespace, "-address", os.path.join(self.work, "grpc"),
                 "-publish-binary", "/usr/bin/true", "-id", ident or self.id, *extra]
        environment = dict(os.environ, TTRPC_ADDRESS=self.ttrpc, **(env or {}))
        return subprocess.run([self.program, *flags, *action], input=stdin, env=environment,
                              cwd=bundle or self.bundle, capture_output=True, timeout=20, check=False)

    def start(self, **more):
        r = self.run(["start"], **more)
        assert r.returncode == 0 and r.stderr == b"", r
        return r.stdout.decode()

    def delete(self, **more):
        bundle = more.get("bundle") or self.bundle
        r = self.run(["delete"], extra=("-bundle", bundle), **more)
        assert r.returncode == 0, r
        return decode(r.stdout)


def path_of(address):
    assert address.startswith("unix:///"), address
    return address[len("unix://"):]


def eventually(condition, seconds=10):
    end = time.time() + seconds
    while not condition():
        assert time.time() < end, "it has not come"
        time.sleep(0.02)
