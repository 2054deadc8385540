#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves image archives to a suite that insists on pulling, on the loopback of its own namespace.

usage: registry.py DIR PORT

DIR holds archives made by tests/images/oci-archive, named like the image with "%" for "/":
e2e%httpd.tar is e2e/httpd under every tag. Only what pulling needs (distribution-spec): GET and
HEAD of manifests and blobs.
"""
import http.server
import json
import os
import re
import sys
import tarfile

PATH = re.compile(r"/v2/(.+)/(manifests|blobs)/([^/]+)\Z")
blobs = {}
images = {}


def load(directory):
    for file in os.listdir(directory):
        with tarfile.open(os.path.join(directory, file)) as tar:
            for member in tar:
                if member.isfile() and member.name.startswith("blobs/sha256/"):
                    digest = "sha256:" + member.name.rsplit("/", 1)[1]
                    blobs[digest] = tar.extractfile(member).read()
            index = json.load(tar.extractfile("index.json"))
        images[file[:-len(".tar")].replace("%", "/")] = index["manifests"][0]["digest"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", kind="application/octet-stream", digest=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", kind)
        if digest:
            self.send_header("Docker-Content-Digest", digest)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_GET(self):
        if self.path.rstrip("/") == "/v2":
            self.answer(200)
            return
        m = PATH.match(self.path.split("?")[0])
        digest = m and m.group(3)
        if m and m.group(2) == "manifests" and not digest.startswith("sha256:"):
            digest = images.get(m.group(1))
        if not digest or digest not in blobs:
            self.answer(404)
            return
        kind = "application/octet-stream"
        if m.group(2) == "manifests":
            kind = "application/vnd.oci.image.manifest.v1+json"
        self.answer(200, blobs[digest], kind, digest)

    do_HEAD = do_GET


load(sys.argv[1])
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
