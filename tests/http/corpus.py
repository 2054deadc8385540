#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cases of cases.def through a socket.

corpus.py cases CASES.DEF            the cases as JSON: name, verdicts, bytes in hexadecimal
corpus.py send CASES.JSON ADDRESS    each on a connection of its own to ADDRESS:80; what comes back
                                     as JSON: name, for each response its status and whether it is
                                     the proxy's, and whether the connection stays open for 2 s
                                     although nothing more can come
corpus.py compare CASES.JSON ANSWERS what is not answered as the verdict says
corpus.py denied LOG                 lines "host method path" of a server that must not be there
"""
import concurrent.futures
import json
import re
import socket
import sys

STRING = r'"((?:\\.|[^"\\])*)"'


def text(literal):
    return literal.replace("\\?", "?").encode("latin1").decode("unicode_escape").encode("latin1")


def cases(path):
    source = open(path, encoding="latin1").read()
    found = []
    for m in re.finditer(r"^CASE\(" + STRING + r",\s*" + STRING + r",\s*((?:" + STRING + r"\s*)+)\)$",
                         source, re.M):
        data = b"".join(text(s) for s in re.findall(STRING, m.group(3)))
        found.append({"name": m.group(1), "want": m.group(2).split(), "bytes": data.hex()})
    assert len(found) == source.count("\nCASE("), "a case is not understood"
    json.dump(found, sys.stdout)


def receive(s):
    data = b""
    try:
        while more := s.recv(65536):
            data += more
    except TimeoutError:
        return data, True
    except OSError:
        pass
    return data, False


def one(address, data):
    with socket.create_connection((address, 80), timeout=5) as s:
        s.settimeout(2)
        try:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other side has closed already
        return receive(s)


def responses(data):
    """Status and whether it is a refusal of the proxy's, of each final response."""
    found = []
    for head in re.split(rb"(?=HTTP/1\.[01] \d{3})", data)[1:]:
        status = int(head[9:12])
        if status >= 200:
            found.append([status, b"\r\nsandlock-refused:" in head.lower()])
    return found


def send(path, address):
    def answer(case):
        data, stays = one(address, bytes.fromhex(case["bytes"]))
        return {"name": case["name"], "got": responses(data), "stays": stays}

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for a in pool.map(answer, json.load(open(path))):
            print(json.dumps(a), flush=True)


def as_wanted(want, got):
    for i, word in enumerate(want):
        body = i + 1 < len(want) and want[i + 1] not in ("allow", "deny", "readings")
        if body:  # it may have been on its way already when the rest was seen
            return len(got) <= i + 2
        if word == "more" or word == "version" and not got:  # HTTP/2 is spoken as well
            return True
        if i >= len(got) or got[i][1] != (word != "allow"):
            return False
        if got[i][1] and len(got) == i + 1:  # a refusal may close the connection
            return True
    return len(got) == len(want)


def compare(path, answers):
    want = {c["name"]: c["want"] for c in json.load(open(path))}
    given = {a["name"]: a for a in map(json.loads, open(answers))}
    for name in want:
        if given[name]["stays"] or not as_wanted(want[name], given[name]["got"]):
            print(f"{name}: wanted {want[name]}, got {given[name]}")


def is_denied(host, method, path):
    below = path.rstrip("/") + "/"
    if host == "example.com":
        return below.startswith("/admin/") or below == "/secret/" or method.upper() == "DELETE"
    if host == "other.example":
        return not below.startswith("/pub/")
    return not (host == "192.0.2.1" and method == "GET" and path.startswith("/only"))


def denied(log):
    for line in open(log, encoding="latin1"):
        host, method, path = line.rstrip("\n").split(" ", 2)
        if method == "-":
            continue  # what the server has not understood
        if path != "*" and is_denied(host.split(":")[0].rstrip(".").lower(), method, path):
            print(line, end="")


if __name__ == "__main__":
    {"cases": cases, "send": send, "compare": compare, "denied": denied}[sys.argv[1]](*sys.argv[2:])
