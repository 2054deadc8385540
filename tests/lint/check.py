#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house rules that a machine can check (docs/house.md). Prints TAP.

Each rule is a function that yields the places where it is broken; the include table is read
from docs/house.md, so that the document cannot say something else than what is checked.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAX_FILE = 500
MAX_FUNCTION = 60


def tracked():
    out = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
                          "--exclude-standard"], check=True, capture_output=True).stdout
    return sorted(p for p in out.decode().split("\0")
                  if p and os.path.isfile(os.path.join(ROOT, p)))


FILES = tracked()
SOURCES = [p for p in FILES if p.endswith((".c", ".h"))]
CODE = [p for p in SOURCES if not p.startswith("tests/")]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def text_files():
    for p in FILES:
        with open(os.path.join(ROOT, p), "rb") as f:
            if b"\0" not in f.read(8000):
                yield p


def is_script(path):
    return read(path).startswith("#!")


def spdx():
    tag = "SPDX-License-Identifier: Apache-2.0"
    exact = (".c", ".h", ".def", ".cmake", ".sh", ".bash", ".bats", ".py")
    for p in text_files():
        wanted = (p.endswith(exact) or os.path.basename(p) == "CMakeLists.txt" or
                  (is_script(p) and "/corpus/" not in p))
        if wanted and tag not in "\n".join(read(p).splitlines()[:3]):
            yield f"{p}: no '{tag}' in its first lines"


def include_table():
    """Rows of docs/house.md: `room` -> the rooms and headers it may include."""
    table = {}
    for line in read("docs/house.md").splitlines():
        m = re.match(r"\|\s*`([\w/]+)/`\s*\|([^|]*)\|", line)
        if m:
            table[m.group(1)] = re.findall(r"`([\w/.]+?)/?`", m.group(2))
    return table


def room_of(path, table):
    d = os.path.dirname(path)
    while d and d not in table:
        d = os.path.dirname(d)
    return d


def includes(path):
    for n, line in enumerate(read(path).splitlines(), 1):
        m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if m:
            yield n, m.group(1)


def floors():
    table = include_table()
    if len(table) < 8:
        yield "docs/house.md: the include table was not found"
        return
    for p in CODE:
        room = room_of(p, table)
        if not room:
            yield f"{p}: its room is not in the table of docs/house.md"
            continue
        for n, target in includes(p):
            if "/" not in target:
                if target.startswith("gen") or not os.path.exists(os.path.join(ROOT, target)):
                    continue
            other = room_of(target, table)
            if other == room or other in table[room] or target in table[room]:
                continue
            yield f"{p}:{n}: {room} may not include {target}"


def floors_used():
    """A permission that no file makes use of is one that nobody has thought about."""
    table = include_table()
    used = {room: set() for room in table}
    for p in CODE:
        room = room_of(p, table)
        for _, target in includes(p):
            for allowed in table.get(room, ()):
                if target == allowed or target.startswith(allowed + "/"):
                    used[room].add(allowed)
    for room, allowed in table.items():
        for a in allowed:
            if a not in used[room] and os.path.exists(os.path.join(ROOT, a)):
                yield f"docs/house.md: {room}/ may include {a} and does not"


# A path of this repository in a comment or a page: `runtime/net/park/park.c`, tests/unit/net/verdict.c,
# tests/net/{stall,hold}.bats, runtime/init/*.
MENTION = re.compile(r"(?<![\w/.$}-])((?:runtime|sandbox|shim|spec|annotations|tests|docs|packaging|conformance|cmake)/"
                     r"[\w./{},*-]*[\w}*/])")


def braces(text):
    m = re.match(r"(.*?)\{([^{}]*)\}(.*)", text)
    if not m:
        yield text
        return
    for word in m.group(2).split(","):
        yield from braces(m.group(1) + word + m.group(3))


def there(mention):
    path = os.path.join(ROOT, mention.rstrip("/"))
    if "*" in mention:
        return bool(glob.glob(path))
    # "runtime/net/verdict" may stand for the pair of files.
    return any(os.path.exists(path + end) for end in ("", ".h", ".c"))


def mentions():
    for p in text_files():
        if p == "tests/lint/check.py":
            continue
        if not p.endswith((".c", ".h", ".def", ".md", ".bats", ".bash", ".py", "CMakeLists.txt")):
            continue
        for n, line in enumerate(read(p).splitlines(), 1):
            if p.endswith((".c", ".h")) and not re.match(r"\s*(/?\*|#)|.*/\*", line):
                continue
            for m in MENTION.finditer(line):
                for one in braces(m.group(1)):
                    # A copy of the tree need not have the inputs of the fuzzers.
                    # Nor what is generated when it is built.
                    if "/corpus" not in one and not one.endswith(".pb-c.h") and not there(one):
                        yield f"{p}:{n}: there is no {one}"


def homes():
    rules = (
        (r"__attribute__\s*\(\(\s*cleanup", "the cleanup attribute",
         r"^runtime/base/(cleanup|arena)\.h$"),
        (r"#\s*include\s*<yajl/", "yajl", r"^runtime/base/json\w*\.[ch]$"),
        (r"#\s*include\s*<seccomp\.h>", "libseccomp", r"^runtime/confine/(profile|filter)\w*\.c$"),
        (r"#\s*include\s*<sys/capability\.h>", "libcap", r"^runtime/confine/"),
        (r"#\s*include\s*<protobuf-c/", "protobuf-c", r"^shim/proto/"),
        (r"#\s*include\s*<sha2\.h>", "libmd", r"^shim/bootstrap/"),
        (r"#\s*include\s*<openssl/", "OpenSSL", r"^runtime/proxy/"),
        (r"SECCOMP_IOCTL_NOTIF_(RECV|SEND|ADDFD|ID_VALID)", "the notification ioctls",
         r"^runtime/(notif/|base/kernel\.h$)"),
    )
    for p in CODE:
        text = read(p)
        for pattern, what, home in rules:
            m = re.search(pattern, text)
            if m and not re.match(home, p):
                yield f"{p}:{text[:m.start()].count(chr(10)) + 1}: {what} has another home"


def quiet():
    """runtime/container serves processes that go on: it returns what happened."""
    pattern = re.compile(r"\b(v?f?printf|dprintf|puts|fputs|perror|_?exit|getenv)\s*\(")
    for p in CODE:
        if not p.startswith("runtime/container/"):
            continue
        for n, line in enumerate(read(p).splitlines(), 1):
            m = pattern.search(line)
            if m and not line.lstrip().startswith(("*", "/*")):
                yield f"{p}:{n}: {m.group(1)}() in a room that returns"


def functions(path):
    """(name, first line, lines) of each function: kernel style, braces in column 0."""
    start = name = None
    previous = []
    for n, line in enumerate(read(path).splitlines(), 1):
        if line.startswith("{"):
            start = n
            head = " ".join(previous[-6:])
            m = re.findall(r"(\w+)\s*\(", head)
            name = m[0] if m else "?"
        elif line.startswith("}") and start:
            yield name, start, n - start + 1
            start = None
            previous = []
        elif line.strip() == "" or line.startswith(("#", "/", " *", "}")):
            previous = []
        else:
            previous.append(line)


def sizes():
    for p in SOURCES:
        lines = read(p).count("\n")
        if lines > MAX_FILE:
            yield f"{p}: {lines} lines, the limit is {MAX_FILE}"
        if p.endswith(".c"):
            for name, n, length in functions(p):
                if length > MAX_FUNCTION:
                    yield f"{p}:{n}: {name} has {length} lines, the limit is {MAX_FUNCTION}"


def code_only(path):
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", read(path), flags=re.S)


def global_functions(text):
    for m in re.finditer(r"^(?!static\b|typedef\b|extern\b)[A-Za-z_][\w \t*]*?\b(\w+)\(([^;{}]*)\)\n\{",
                         text, re.M):
        yield m.group(1)


def find_circle(uses):
    """A list of files each of which uses the next, and the last the first; or None."""
    done, path = set(), []

    def visit(p):
        if p in path:
            return path[path.index(p):]
        if p in done:
            return None
        path.append(p)
        for q in sorted(uses[p]):
            found = visit(q)
            if found:
                return found
        path.pop()
        done.add(p)
        return None

    for p in sorted(uses):
        found = visit(p)
        if found:
            return found
    return None


def circles():
    rooms = {}
    for p in CODE:
        if p.endswith(".c"):
            rooms.setdefault(os.path.dirname(p), {})[p] = code_only(p)
    for room, texts in rooms.items():
        home = {f: p for p, text in texts.items() for f in global_functions(text)}
        uses = {p: {home[w] for w in set(re.findall(r"\w+", text)) if home.get(w, p) != p}
                for p, text in texts.items()}
        circle = find_circle(uses)
        if circle:
            yield f"{room}: " + " -> ".join(os.path.basename(p) for p in circle + circle[:1])


def header_form(path, text):
    """What docs/house.md says of headers ("Form")."""
    guard = "SANDLOCK_" + re.sub(r"[/.]", "_", re.sub(r"^runtime/", "", path)).upper()
    if not re.search(rf"^#ifndef {guard}\n#define {guard}\n", text, re.M):
        yield f"{path}: its guard is not {guard}"
    if not text.rstrip().endswith("\n#endif"):
        yield f"{path}: does not end with its #endif"


def headers():
    table = include_table()
    for p in SOURCES:
        text = read(p)
        if p.endswith(".h"):
            yield from header_form(p, text)
        for _, target in includes(p):
            if target.endswith("/internal.h") and not p.startswith("tests/") and \
                    room_of(target, table) != room_of(p, table):
                yield f"{p}: {target} is of another room"
        own = f'"{p[:-2]}.h"'
        # The block of includes at the top; what is conditional or generates code comes later.
        block = re.search(r"^#include .*\n(?:\n?#include .*\n)*", text, re.M)
        if not block or ".def" in block.group(0):
            continue
        found = re.findall(r"^#include (\S+)", block.group(0), re.M)
        if p.endswith(".c") and own in found[1:]:
            yield f"{p}: its own header does not come first"
        first = found[0] == own or (p.startswith("tests/") and found[0].startswith('"'))
        rest = found[1:] if first else found
        if rest != sorted(rest, key=lambda x: (x.startswith('"'), x)):
            yield f"{p}: includes are not sorted: own header, the system's, ours"


def names_of(path):
    """What a file defines for itself or for others: functions, variables, structs."""
    text = re.sub(r"^\s*#(?:.*\\\n)*.*\n", "\n", code_only(path), flags=re.M)
    for pattern in (r"^(?!typedef\b|extern\b)[A-Za-z_][\w \t*]*?\b(\w+)\([^;{}]*\)\n\{",
                    r"^(?:static|const)\b[\w \t*]*?\b(\w+)(?:\[[^\]]*\])*\s*[=;]",
                    r"^(?:typedef )?((?:struct|union|enum) \w+)\s*\{"):
        for m in re.finditer(pattern, text, re.M):
            yield m.group(1)


def unique_names():
    """gdb and grep find one."""
    homes = {}
    for p in CODE:
        for name in set(names_of(p)) - {"main"}:
            homes.setdefault(name, []).append(p)
    for name, paths in sorted(homes.items()):
        if len(paths) > 1:
            yield f"{name}: in " + " and ".join(paths)


def machine_paths():
    # Spelled in pieces, or this file would be the first to be found.
    pattern = re.compile(r"(?<![\w.])/(" + "wo" + r"rk/|ro" + r"ot/\.|ho" + r"me/(?!u1\b)\w)|/tm" +
                         r"p/(build|brief)")
    for p in text_files():
        for n, line in enumerate(read(p).splitlines(), 1):
            if pattern.search(line) and "/corpus/" not in p:
                yield f"{p}:{n}: a path of some machine: {line.strip()[:80]}"


def unfinished():
    pattern = re.compile(r"\b(TO" + "DO|FIX" + "ME|XX" + "X|HA" + r"CK)\b")
    for p in text_files():
        if "/corpus/" in p or p == "LICENSE":
            continue
        for n, line in enumerate(read(p).splitlines(), 1):
            if pattern.search(line):
                yield f"{p}:{n}: unfinished: {line.strip()[:80]}"


def formatted():
    if not SOURCES:
        return
    r = subprocess.run(["clang-format", "--dry-run", "-Werror", *SOURCES], cwd=ROOT,
                       capture_output=True, text=True)
    seen = {}
    for line in r.stderr.splitlines():
        m = re.match(r"([^:\s]+):(\d+):\d+: error", line)
        if m:
            seen.setdefault(m.group(1), m.group(2))
    for p, n in sorted(seen.items()):
        yield f"{p}:{n}: not as clang-format writes it"
    if r.returncode and not seen:
        yield "clang-format failed: " + r.stderr.strip()[:200]


def scripts_parse():
    for p in text_files():
        first = read(p).split("\n", 1)[0]
        shell = "bash" if p.endswith(".bash") else None
        m = re.match(r"#!\s*/(?:usr/)?bin/(?:env )?(ba)?sh\b", first)
        if m:
            shell = "bash" if m.group(1) else "sh"
        if shell:
            r = subprocess.run([shell, "-n", p], cwd=ROOT, capture_output=True, text=True)
            if r.returncode:
                yield f"{p}: {r.stderr.strip().splitlines()[0]}"


def executables():
    for p in text_files():
        runs = os.access(os.path.join(ROOT, p), os.X_OK)
        starts = is_script(p)
        if starts and not runs and not p.endswith(".bats"):
            yield f"{p}: a script that is not executable"
        if runs and not starts:
            yield f"{p}: executable without being a script"


RULES = (
    ("every source has its SPDX line", spdx),
    ("rooms include only what their floor allows", floors),
    ("what a room may include it does include", floors_used),
    ("paths that comments and pages name are there", mentions),
    ("libraries and attributes stay in their home", homes),
    ("a room that returns neither prints nor ends the process", quiet),
    ("files and functions keep their size", sizes),
    ("files of a room use each other in one direction", circles),
    ("headers and includes have one form", headers),
    ("a name of file scope stands once", unique_names),
    ("no path of some machine", machine_paths),
    ("nothing marked unfinished", unfinished),
    ("clang-format has nothing to change", formatted),
    ("every shell script parses", scripts_parse),
    ("scripts are executable, other files not", executables),
)


def main():
    print(f"1..{len(RULES)}")
    bad = 0
    for i, (name, rule) in enumerate(RULES, 1):
        places = list(rule())
        print(("not ok" if places else "ok"), i, "-", name)
        for place in places:
            print("#", place)
        bad += bool(places)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
