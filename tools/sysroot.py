#!/usr/bin/env python3
"""Prints the directory with the libraries of another architecture, or the emulator of its programs: sysroot.py [--emulator] ARCH (arm64)

The directory contains the Debian packages of tools/deps/build.txt and test.txt that have headers or libraries (-dev), with all their
dependencies, from the same Debian release as this machine. They are unpacked into the cache: nothing is installed on this machine. Its dpkg
database lists the packages and their files, so that dpkg-query --admindir=SYSROOT/var/lib/dpkg works as on a machine of that architecture.

The emulator is qemu-user of Debian 13: that of Debian 12 (7.2) does not know openat2, which the programs use for every file.
"""
import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))

import cache  # noqa: E402
import debian  # noqa: E402

# Installed on every Debian machine that has a compiler.
TOOLCHAIN = ["libc6-dev", "libstdc++-12-dev"]


def wanted() -> list[str]:
    words = " ".join(re.sub(r"#.*", "", (ROOT / "tools/deps" / f"{group}.txt").read_text()) for group in ("build", "test")).split()
    # The runtime of the sanitizers is part of this machine's compiler.
    return TOOLCHAIN + [w for w in words if w.endswith("-dev") and not w.startswith("libclang")]


def emulator(arch: str) -> Path:
    tree = debian.unpacked("qemu-user-trixie", "trixie", lambda apt: ["qemu-user"])  # a static program
    return tree / "usr/bin" / {"arm64": "qemu-aarch64", "amd64": "qemu-x86_64"}[arch]


def main():
    if sys.argv[-1] not in ("arm64", "amd64") or sys.argv[1:-1] not in ([], ["--emulator"]):
        sys.exit(__doc__.split("\n")[0])
    arch = sys.argv[-1]
    if len(sys.argv) == 3:
        print(emulator(arch))
        return
    suite = re.search(r"(?m)^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text())[1]
    digest = hashlib.sha256(" ".join(wanted()).encode()).hexdigest()[:12]
    name = f"sysroot-{suite}-{arch}-{digest}"
    print(debian.unpacked(name, suite, lambda apt: apt.with_dependencies(*wanted()), arch=arch))
    cache.remove_older(f"sysroot-{suite}-{arch}-*", cache.root() / name)


main()
