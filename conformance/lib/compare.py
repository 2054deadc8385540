#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the table of a suite's run and compares our columns with the expected ones.

usage: compare.py EXPECTED RESULTS [partial]

RESULTS: lines of "case<TAB>runtime<TAB>verdict"; the runtimes are ours, shim (ours by our own
shim), pod (the same without a pause container, where containerd can), namespace (ours in that root
mode), h2c and tls (our proxy), runc, direct (no proxy), true, false.
EXPECTED: lines of "case<TAB>verdict...<TAB>reason"; the first line names the columns, # starts a
comment. A verdict of ours starts with PASS, or the line must have a reason. The columns runc and
direct document and are not compared: what they give depends on the machine. Ends with the line "N passed, N failed": a
case has passed when our verdicts are the expected ones.
"""
import sys

OURS = ["ours", "shim", "pod", "namespace", "h2c", "tls"]
CONTROLS = ["runc", "direct"]
ORDER = [*OURS, *CONTROLS, "true", "false"]


def rows(path, n):
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            parts = line.split("\t")
            if len(parts) != n:
                sys.exit(f"{path}:{number}: {n} columns wanted: {line!r}")
            yield parts


def read_expected(path):
    with open(path, encoding="utf-8") as f:
        names = f.readline().rstrip("\n").removeprefix("# ").split("\t")
    for line in rows(path, len(names)):
        want = dict(zip(names, line))
        if not all(want[c].startswith("PASS") for c in OURS if c in want) and not want["reason"].strip():
            sys.exit(f"{path}: {want['case']}: a deviation without a reason")
        yield want.pop("case"), want


def main():
    expected, results = dict(read_expected(sys.argv[1])), {}
    for case, runtime, verdict in rows(sys.argv[2], 3):
        results.setdefault(case, {})[runtime] = verdict

    columns = [r for r in ORDER if any(r in v for v in results.values())]
    width = max([4] + [len(c) for c in results])
    print("  ".join(["case".ljust(width)] + [c.ljust(14) for c in columns] + ["reason"]).rstrip())
    partial = "partial" in sys.argv[3:]
    passed = failed = 0
    for case, got in results.items():
        want = expected.get(case)
        good = want is not None and all(
            got.get(c) == want.get(c) for c in OURS if c in got or not partial and c != "pod")
        passed += good
        failed += not good
        note = want["reason"] if good else "EXPECTED " + (
            " ".join(want[c] for c in OURS if c in want) if want else "a line in the file expected")
        print("  ".join([case.ljust(width)] + [got.get(c, "-").ljust(14) for c in columns] +
                        [note]).rstrip())
        for c in CONTROLS:
            if want and want.get(c) and c in got and got[c] != want[c]:
                print(f"# {case}: {c} gave {got[c]}, here it was written down as {want[c]}")
    for case in expected:
        if case not in results and not partial:
            failed += 1
            print(f"{case}: did not run")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0 or passed == 0)


main()
