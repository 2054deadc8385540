#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""echo_client.py HOST: both methods of both services of echo_server.py, without TLS and with it; the
streaming call waits for each answer before it sends the next message."""
import queue
import sys

import grpc

host = sys.argv[1]
ROOTS = "/etc/ssl/certs/ca-certificates.crt"


def one(channel, name):
    return channel.unary_unary(f"/{name}/One")(b"a", timeout=10).decode()


def many(channel, name):
    messages = queue.Queue()
    answers = channel.stream_stream(f"/{name}/Many")(iter(messages.get, None), timeout=10)
    got = []
    for m in (b"a", b"b", b"c" * 100000):
        messages.put(m)
        got.append(next(answers).decode()[:6])
    messages.put(None)
    assert next(answers, None) is None
    return ", ".join(got)


def all_calls(what, channel):
    for name in ("test.Echo", "test.Admin"):
        for call in (one, many):
            try:
                print(what, name, call(channel, name))
            except grpc.RpcError as e:
                print(what, name, e.code().name)


all_calls("h2c", grpc.insecure_channel(f"{host}:80"))
all_calls("tls", grpc.secure_channel(f"{host}:443", grpc.ssl_channel_credentials(open(ROOTS, "rb").read())))
