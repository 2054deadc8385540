#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""client.py PORT UP4 UP6 NAME NO4 NO6: one line each for requests, aiohttp and asyncio: what
the five answered, or the errno and whether the best of ten refusals took less than 5 ms."""
import asyncio
import errno
import sys
import time

import aiohttp
import requests

port, hosts = sys.argv[1], sys.argv[2:]


def written(host):
    return f"[{host}]" if ":" in host else host


def blocking(host):
    return requests.get(f"http://{written(host)}:{port}/", timeout=5).text.strip()


async def http(host):
    async with aiohttp.ClientSession() as s:
        async with s.get(f"http://{written(host)}:{port}/") as r:
            return (await r.text()).strip()


async def stream(host):
    r, w = await asyncio.open_connection(host, port)
    w.write(b"GET / HTTP/1.1\r\n\r\n")
    data = await r.read(1000)
    w.close()
    return data.split()[-1].decode()


def cause(e):
    """The errno at the bottom of what requests and urllib3 have wrapped."""
    if isinstance(e, OSError) and e.errno:
        return errno.errorcode[e.errno]
    inner = e.__context__ or next(a for a in e.args if isinstance(a, BaseException))
    return cause(getattr(inner, "reason", inner))


def best(go, host):
    least = 1000
    for _ in range(10):
        begin = time.monotonic()
        try:
            return go(host)
        except Exception as e:
            code = cause(e)
        least = min(least, time.monotonic() - begin)
    return f"{code} {least < 0.005}"


for go in blocking, lambda h: asyncio.run(http(h)), lambda h: asyncio.run(stream(h)):
    print(*(best(go, h) for h in hosts))
