#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A profile as docker, podman and CRI-O publish it, as the bundles that they make of it.

    resolve.py GOARCH DIRECTORY NAME=PROFILE.json...

Writes DIRECTORY/NAME-CAPABILITIES.json for no, the default and all capabilities. A rule of such a profile
may ask for capabilities, architectures and a kernel, or exclude some; the engine leaves it out of the
bundle or puts it in. CRI-O's is podman's, in which unshare asks for CAP_SYS_ADMIN.
"""
import json
import os
import sys

ARCHS = {"amd64": "SCMP_ARCH_X86_64", "arm64": "SCMP_ARCH_AARCH64"}
CAPS = {
    "none": [],
    "default": ["CAP_AUDIT_WRITE", "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL",
                "CAP_MKNOD", "CAP_NET_BIND_SERVICE", "CAP_NET_RAW", "CAP_SETFCAP", "CAP_SETGID",
                "CAP_SETPCAP", "CAP_SETUID", "CAP_SYS_CHROOT"],
    "all": None,
}
KNOWN = {"arches", "caps", "minKernel"}


def applies(rule, arch, caps):
    wanted, unwanted = rule.get("includes") or {}, rule.get("excludes") or {}
    if set(wanted) | set(unwanted) > KNOWN or "minKernel" in unwanted:
        raise SystemExit(f"resolve.py: a condition that is not known: {rule}")

    def held(cap):
        return caps is None or cap in caps
    if arch in unwanted.get("arches", ()) or any(held(c) for c in unwanted.get("caps", ())):
        return False
    # Every kernel that the runtime works on is newer than a minKernel that is in use (4.8).
    return (not wanted.get("arches") or arch in wanted["arches"]) and all(held(c) for c in wanted.get("caps", ()))


def resolved(profile, arch, caps):
    native = ARCHS[arch]
    others = [s for m in profile["archMap"] if m["architecture"] == native for s in m["subArchitectures"]]
    made = {"defaultAction": profile["defaultAction"], "architectures": [native, *others], "syscalls": []}
    if "defaultErrnoRet" in profile:
        made["defaultErrnoRet"] = profile["defaultErrnoRet"]
    for rule in profile["syscalls"]:
        if applies(rule, arch, caps):
            kept = {k: rule[k] for k in ("names", "action", "errnoRet") if rule.get(k) is not None}
            made["syscalls"].append(kept | ({"args": rule["args"]} if rule.get("args") else {}))
    return made


def crio(profile):
    rules = [dict(r, names=[n for n in r["names"] if n != "unshare"])
             if not r.get("includes") and not r.get("excludes") else r for r in profile["syscalls"]]
    more = {"names": ["unshare"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_ADMIN"]}}
    return dict(profile, syscalls=[*rules, more])


def write(directory, name, arch, profile):
    for label, caps in CAPS.items():
        bundle = {"ociVersion": "1.0.2", "root": {"path": "rootfs"},
                  "process": {"cwd": "/", "args": ["true"], "user": {"uid": 0, "gid": 0}},
                  "linux": {"seccomp": resolved(profile, arch, caps)}}
        with open(os.path.join(directory, f"{name}-{label}.json"), "w", encoding="utf-8") as f:
            json.dump(bundle, f)


def main():
    arch, directory = sys.argv[1:3]
    for argument in sys.argv[3:]:
        name, path = argument.split("=", 1)
        with open(path, encoding="utf-8") as f:
            profile = json.load(f)
        write(directory, name, arch, profile)
        if name == "podman":
            write(directory, "crio", arch, crio(profile))


if __name__ == "__main__":
    main()
