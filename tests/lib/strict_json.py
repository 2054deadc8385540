#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decodes a document as a strict Go caller would: exact members, exact types, nothing around it.

usage: strict_json.py state|list|ps|features|events|log FILE

Members that are not in the schema, missing ones, wrong types, duplicate keys, a BOM, numbers that
are not integers where Go has integers, and times that are not RFC 3339 are errors.
"""
import json
import re
import sys
from datetime import datetime

RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)\Z")


class Wrong(Exception):
    pass


def need(cond, what):
    if not cond:
        raise Wrong(what)


def no_duplicates(pairs):
    keys = [k for k, _ in pairs]
    need(len(keys) == len(set(keys)), f"a key twice in {keys}")
    return dict(pairs)


def string(v, at):
    need(isinstance(v, str), f"{at}: a string wanted, got {v!r}")


def word(*words):
    def check(v, at):
        need(v in words, f"{at}: one of {words} wanted, got {v!r}")
    return check


def integer(low=0):
    def check(v, at):
        need(isinstance(v, int) and not isinstance(v, bool) and v >= low,
             f"{at}: an integer of at least {low} wanted, got {v!r}")
    return check


def boolean(v, at):
    need(isinstance(v, bool), f"{at}: a boolean wanted, got {v!r}")


def null(v, at):
    need(v is None, f"{at}: null wanted, got {v!r}")


def path(v, at):
    string(v, at)
    need(v.startswith("/"), f"{at}: an absolute path wanted, got {v!r}")


def rfc3339(v, at):
    string(v, at)
    need(RFC3339.match(v), f"{at}: not RFC 3339: {v!r}")
    datetime.fromisoformat(v[:19])


def array(of, least=0):
    def check(v, at):
        need(isinstance(v, list) and len(v) >= least, f"{at}: an array wanted, got {v!r}")
        for i, item in enumerate(v):
            of(item, f"{at}[{i}]")
    return check


def mapping(of):
    def check(v, at):
        need(isinstance(v, dict), f"{at}: an object wanted, got {v!r}")
        for k, item in v.items():
            of(item, f"{at}.{k}")
    return check


def record(required, optional=None):
    optional = optional or {}

    def check(v, at):
        need(isinstance(v, dict), f"{at}: an object wanted, got {v!r}")
        for k, of in required.items():
            need(k in v, f"{at}.{k}: missing")
            of(v[k], f"{at}.{k}")
        for k, item in v.items():
            need(k in required or k in optional, f"{at}.{k}: nobody knows it")
            if k in optional:
                optional[k](item, f"{at}.{k}")
    return check


number = integer()
EMPTY = record({})
ENABLED = record({"enabled": boolean})

STATE = record({
    "ociVersion": string, "id": string, "pid": number,
    "status": word("creating", "created", "running", "paused", "stopped"),
    "bundle": path, "rootfs": path, "created": rfc3339,
    "annotations": mapping(string), "owner": string,
}, {"ports": array(record({
    "protocol": word("tcp", "udp"), "hostIP": string,
    "containerPort": integer(1), "hostPort": integer(1),
}))})
COUNTS = record({"limit": number, "usage": number, "failcnt": number}, {"max": number})
EVENT = record({"type": word("stats"), "id": string, "data": record({
    "cpu": record({
        "usage": record({"total": number, "kernel": number, "user": number},
                        {"percpu": array(number)}),
        "throttling": record({}, {"periods": number, "throttledPeriods": number,
                                  "throttledTime": number}),
    }),
    "memory": record({"usage": COUNTS, "swap": EMPTY, "kernel": EMPTY, "kernelTCP": EMPTY,
                      "raw": mapping(number)}, {"cache": number}),
    "pids": record({"current": number}, {"limit": number}),
    "blkio": record({"ioServiceBytesRecursive": array(record({
        "major": number, "minor": number, "op": word("Read", "Write"), "value": number}))}),
    "hugetlb": EMPTY, "intel_rdt": EMPTY, "network_interfaces": null,
    "sandlock": record({"notifications": mapping(number), "notifications_total": number,
                        "network_connections": number,
                        "network_denials": number, "tasks_refused": number, "oom_kills": number,
                        "processes": array(record({"pid": number, "rss": number,
                                                   "anon": number}))},
                       {"disk_limit": number, "disk_usage": number}),
})})
FEATURES = record({
    "ociVersionMin": string, "ociVersionMax": string,
    "hooks": array(word("prestart", "createRuntime", "createContainer", "startContainer",
                        "poststart", "poststop"), 6),
    "mountOptions": array(string, 20),
    "linux": record({
        "namespaces": array(string), "capabilities": array(string, 40),
        "cgroup": record({"v1": boolean, "v2": boolean, "systemd": boolean,
                          "systemdUser": boolean, "rdma": boolean}),
        "seccomp": record({
            "enabled": boolean, "actions": array(string, 5), "operators": array(string, 7),
            "archs": array(string, 1), "knownFlags": array(string),
            "supportedFlags": array(string)}),
        "apparmor": ENABLED, "selinux": ENABLED, "intelRdt": ENABLED,
    }, {"memoryPolicy": mapping(array(string)), "netDevices": ENABLED,
        "mountExtensions": record({"idmap": ENABLED})}),
    "annotations": mapping(string),
    "potentiallyUnsafeConfigAnnotations": array(string),
})
LOG = record({"level": word("error", "warning"), "msg": string, "time": rfc3339})
KINDS = {"state": STATE, "list": array(STATE), "ps": array(integer(1)), "features": FEATURES,
         "events": EVENT, "log": LOG}


def main():
    with open(sys.argv[2], "rb") as f:
        raw = f.read()
    documents = [raw] if sys.argv[1] not in ("events", "log") else raw.splitlines()
    need(documents and documents[0], "nothing there")
    for text in documents:
        value = json.loads(text.decode("utf-8"), object_pairs_hook=no_duplicates)
        KINDS[sys.argv[1]](value, sys.argv[1])


try:
    main()
except (Wrong, ValueError) as e:
    sys.exit(f"strict_json: {e}")
