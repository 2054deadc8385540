#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""server.py LOG [CERT KEY] ADDRESS:PORT...: HTTP/1.1 servers, with TLS when there is a
certificate. Each request becomes a line of LOG: method, target, Authorization and X-Key."""
import http.server
import socket
import ssl
import sys
import threading
import time

log = open(sys.argv[1], "a", buffering=1)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            data = b""
            while n := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(n)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, data, **fields):
        self.send_response(200)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def chunked(self, pieces):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for p in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(p), p))
        self.wfile.write(b"0\r\nX-Trailer: last\r\n\r\n")

    def websocket(self):
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", "x")
        self.end_headers()
        self.close_connection = True
        while data := self.connection.recv(65536):
            self.wfile.write(data)

    def handle_any(self):
        path = self.path.split("?")[0]
        words = [self.command, self.path, self.headers.get("Authorization", "-"), self.headers.get("X-Key", "-")]
        log.write(" ".join(words) + "\n")
        if path.startswith("/early"):
            self.answer(b"early\n", Connection="close")
            self.close_connection = True
            return
        if path.startswith("/ws"):
            self.websocket()
            return
        data = self.body()
        if path.startswith("/big"):
            self.answer(b"x" * int(path.split("/")[-1]))
        elif path.startswith("/chunks"):
            self.chunked([b"piece\n"] * int(path.split("/")[-1]))
        elif path.startswith("/slow-echo"):
            time.sleep(float(path.split("/")[-1]))
            self.answer(b"echo\n", X_Echo=self.headers.get("Authorization", "-"))
        elif path.startswith("/slow"):
            time.sleep(float(path.split("/")[-1]))
            self.answer(b"slow\n")
        elif path.startswith("/half"):
            self.send_response(200)
            self.send_header("Content-Length", "10")
            self.end_headers()
            self.wfile.write(b"half\n")
            time.sleep(30)
        elif path.startswith("/close"):
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"until the end\n")
            self.close_connection = True
        elif path.startswith("/repeat"):
            got = self.headers.get("Authorization", self.path.split("k=")[-1])
            self.send_response(200, "OK " + got)
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("Location", "/next?k=" + got)
            self.end_headers()
            self.wfile.write(b"2\r\nok\r\n0\r\nX-End: %s\r\n\r\n" % got.encode())
        elif path.startswith("/echo"):
            self.answer(b"echo\n", X_Echo=self.headers.get("Authorization", "-"))
        elif "/redirect" in path:
            self.send_response(302)
            self.send_header("Location", self.path.split("?to=")[1])
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif path.startswith("/peer"):
            self.answer(self.client_address[0].encode() + b"\n")
        elif path.startswith("/fields"):
            self.answer(str(self.headers).encode())
        elif self.command in ("POST", "PUT"):
            self.answer(b"got %d\n" % len(data))
        else:
            self.answer(b"hello %s\n" % path.encode())

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PATCH = handle_any


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, *args):
        pass


def main():
    args = sys.argv[2:]
    tls = None
    if ":" not in args[0]:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(args[0], args[1])
        args = args[2:]
    for at in args:
        host, port = at.rsplit(":", 1)
        host = host.strip("[]")
        Server.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        server = Server((host, int(port)), Handler)
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever).start()
    log.write("ready\n")


main()
