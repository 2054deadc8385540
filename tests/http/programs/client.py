#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""client.py URL...: GET with each of the libraries; a line each: library, version of HTTP where it is
known, status, body of a 200."""
import asyncio
import sys
import urllib.error
import urllib.request

import aiohttp
import httpx
import requests
import urllib3


def by_urllib(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as r:
            return r.status, r.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, ""


def by_urllib3(url):
    # It knows no variable for its roots; the bundle is where Debian has it.
    r = urllib3.PoolManager(ca_certs="/etc/ssl/certs/ca-certificates.crt").request("GET", url, timeout=10)
    return r.status, r.data.decode()


def by_requests(url):
    r = requests.get(url, timeout=10)
    return r.status_code, r.text


def by_httpx(url, **options):
    with httpx.Client(timeout=10, **options) as c:
        r = c.get(url)
        return f"{r.http_version} {r.status_code}", r.text


def by_httpx_h2(url):
    return by_httpx(url, http2=True)


async def get_aiohttp(url):
    async with aiohttp.ClientSession() as s, s.get(url) as r:
        return r.status, await r.text()


def by_aiohttp(url):
    return asyncio.run(get_aiohttp(url))


for url in sys.argv[1:]:
    for get in (by_urllib, by_urllib3, by_requests, by_httpx, by_httpx_h2, by_aiohttp):
        status, text = get(url)
        print(get.__name__[3:], status, text.strip() if str(status).endswith("200") else "-")
