#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""echo_server.py LOG CERT KEY ADDRESS: gRPC on port 80, and with TLS on 443. Two services with the
same methods: One answers a message with one, Many answers each message of a stream with one. Each
call becomes a line of LOG."""
import concurrent.futures
import sys
import threading

import grpc

log, cert, key, address = sys.argv[1:]


def noted(name):
    with open(log, "a") as f:
        print(name, file=f)


def service(name):
    def one(message, _):
        noted(f"{name}/One")
        return b"one " + message

    def many(messages, _):
        noted(f"{name}/Many")
        for m in messages:
            yield b"many " + m

    return grpc.method_handlers_generic_handler(name, {
        "One": grpc.unary_unary_rpc_method_handler(one),
        "Many": grpc.stream_stream_rpc_method_handler(many),
    })


server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
server.add_generic_rpc_handlers((service("test.Echo"), service("test.Admin")))
server.add_insecure_port(f"{address}:80")
server.add_secure_port(f"{address}:443", grpc.ssl_server_credentials([(open(key, "rb").read(), open(cert, "rb").read())]))
server.start()
noted("ready")
threading.Event().wait()
