#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""agent.py HOST: what an agent does with a model's API, and what a curious one tries besides. A line
for each: status of the answer, or what became of it."""
import os
import sys

import requests

host = sys.argv[1]


def say(what, method, url, **more):
    try:
        r = requests.request(method, url, timeout=10, **more)
        print(what, r.status_code, r.text.strip() if r.ok else r.headers.get("Sandlock-Refused", "-"))
    except requests.RequestException as e:
        print(what, type(e).__name__)


print("key", os.environ.get("OPENAI_API_KEY", "none"))
say("chat", "POST", f"https://{host}/v1/chat/completions", json={"model": "m", "messages": []})
say("own key", "POST", f"https://{host}/v1/chat/completions", data="x", headers={"Authorization": "Bearer mine"})
say("other path", "POST", f"https://{host}/v1/files", data="x")
say("other method", "GET", f"https://{host}/v1/chat/completions")
say("admin", "POST", f"https://{host}/v1/chat/completions/../../../admin/keys", data="x")
say("other name", "POST", f"https://{host}/v1/chat/completions", data="x", headers={"Host": "evil.example"})
say("other host", "POST", "https://192.0.2.1/v1/chat/completions", data="x", verify=False)
say("cleartext", "POST", f"http://{host}/v1/chat/completions", data="x")
