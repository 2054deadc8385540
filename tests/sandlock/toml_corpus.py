#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: toml_corpus.py PRINTER DIRECTORY...

Compares the documents below the directories with what the corpus says of them: a valid one has the
values of the .json file beside it, an invalid one is refused with its place. Prints a line for each
difference, and at last the numbers of documents of both kinds.
"""
import json
import math
import os
import re
import subprocess
import sys

# U+0000 is refused on purpose, and \e belongs to TOML 1.1.
REFUSED = {"valid/string/escape-esc.toml"}
TIMES = {"datetime", "datetime-local", "date-local", "time-local"}


def one_time(text):
    text = re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", text.upper().replace(" ", "T"))
    return re.sub(r"\.(?=\D|$)", "", text).replace("+00:00", "Z")


def same_scalar(got, want):
    kind, value = want["type"], want["value"]
    if kind in TIMES:
        return got["type"] == "date or time" and one_time(got["value"]) == one_time(value)
    if kind == "float":
        a, b = (float(v.replace("_", "")) for v in (got["value"], value))
        return got["type"] == kind and (a == b or (math.isnan(a) and math.isnan(b)))
    return got["type"] == kind.replace("bool", "boolean") and got["value"] == value


def same(got, want):
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(same, got, want))
    if set(want) == {"type", "value"} and isinstance(want["value"], str):
        return isinstance(got, dict) and set(got) == {"type", "value"} and same_scalar(got, want)
    return isinstance(got, dict) and set(got) == set(want) and all(same(got[k], want[k]) for k in want)


def documents(directories):
    for top in directories:
        for where, _, names in sorted(os.walk(top)):
            for name in sorted(names):
                path = os.path.join(where, name)
                if name.endswith(".toml"):
                    yield os.path.relpath(path, top), path


def main():
    printer, directories = sys.argv[1], sys.argv[2:]
    found = list(documents(directories))
    out = subprocess.run([printer] + [path for _, path in found], check=True, capture_output=True)
    n = {True: 0, False: 0}
    for (name, path), line in zip(found, out.stdout.decode().splitlines(), strict=True):
        valid = name.startswith("valid/") and name not in REFUSED
        n[valid] += 1
        if valid:
            if line.startswith("line "):
                print(f"{name}: {line}")
                continue
            with open(path[:-5] + ".json", encoding="utf-8") as f:
                if not same(json.loads(line), json.load(f)):
                    print(f"{name}: {line}")
        elif not re.match(r"line \d+, column \d+: .", line):
            print(f"{name}: taken: {line}")
    print(f"{n[True]} valid, {n[False]} invalid")


main()
