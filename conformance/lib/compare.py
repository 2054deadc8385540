#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the table of a suite's run and compares our column with the expected one.

usage: compare.py EXPECTED RESULTS [partial]

RESULTS: lines of "case<TAB>runtime<TAB>verdict"; the runtimes are ours, runc, true, false.
EXPECTED: lines of "case<TAB>ours<TAB>runc<TAB>reason", # starts a comment. A verdict starts with
PASS, or the line must have a reason. runc's column documents and is not compared: what it gives
depends on the machine. Ends with the line "N passed, N failed": a case has passed when our verdict
is the expected one.
"""
import sys

ORDER = ["ours", "runc", "true", "false"]


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


def main():
    expected, results = {}, {}
    for case, ours, runc, reason in rows(sys.argv[1], 4):
        if not ours.startswith("PASS") and not reason.strip():
            sys.exit(f"{sys.argv[1]}: {case}: a deviation without a reason")
        expected[case] = (ours, runc, reason)
    for case, runtime, verdict in rows(sys.argv[2], 3):
        results.setdefault(case, {})[runtime] = verdict

    columns = [r for r in ORDER if any(r in v for v in results.values())]
    width = max([4] + [len(c) for c in results])
    print("  ".join(["case".ljust(width)] + [c.ljust(14) for c in columns] + ["reason"]).rstrip())
    passed = failed = 0
    for case, got in results.items():
        want, runc, reason = expected.get(case, ("", "", ""))
        good = got.get("ours") == want
        passed += good
        failed += not good
        note = reason if good else f"EXPECTED {want or 'a line in the file expected'}"
        print("  ".join([case.ljust(width)] + [got.get(c, "-").ljust(14) for c in columns] +
                        [note]).rstrip())
        if runc and "runc" in got and got["runc"] != runc:
            print(f"# {case}: runc gave {got['runc']}, here it was written down as {runc}")
    for case in expected:
        if case not in results and "partial" not in sys.argv[3:]:
            failed += 1
            print(f"{case}: did not run")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0 or passed == 0)


main()
