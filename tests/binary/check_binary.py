#!/usr/bin/env python3
"""Checks what a program asks of the machine it runs on.

usage: check_binary.py PROGRAM MACHINE     (MACHINE as readelf names it: X86-64, AArch64)

It may need only glibc's own shared libraries (libsystemd is opened at run time), no GLIBC symbol newer than 2.35 and,
through dlopen, no libsystemd symbol newer than 249 (Ubuntu 22.04's). It must be stripped, position independent (so that its
addresses are random), and linked with what it needs bound and made read-only at the start.
"""
import re
import subprocess
import sys

GLIBC_LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2",
                   "ld-linux-aarch64.so.1", "libresolv.so.2"}
NEWEST_GLIBC = (2, 35)


def output(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def main():
    program, machine = sys.argv[1:]
    problems = []
    dynamic = output("readelf", "--wide", "--dynamic", program)
    needed = set(re.findall(r"\(NEEDED\).*\[(.+?)\]", dynamic))
    if not needed:
        problems.append("readelf names no needed library: is this the right file?")
    for library in sorted(needed - GLIBC_LIBRARIES):
        problems.append(f"needs {library}, which an image may not have")
    for symbol, version in re.findall(r"UND (\S+)@GLIBC_([0-9.]+)", output("readelf", "--wide", "--dyn-syms", program)):
        if tuple(int(part) for part in version.split(".")) > NEWEST_GLIBC:
            problems.append(f"symbol {symbol} needs glibc {version}")
    header = output("readelf", "--wide", "--file-header", program)
    if not re.search(rf"Machine:.*\b{machine}\b", header):
        problems.append(f"is not for {machine}")
    if "Type:" not in header or "DYN" not in header:
        problems.append("is linked at fixed addresses")
    if "BIND_NOW" not in dynamic or "GNU_RELRO" not in output("readelf", "--wide", "--program-headers", program):
        problems.append("is not linked with -z now and -z relro")
    sections = output("readelf", "--wide", "--section-headers", program)
    if ".symtab" in sections or ".debug_info" in sections:
        problems.append("is not stripped")
    for problem in problems:
        print(f"{program} {problem}")
    if not problems:
        print(f"{program}: needs only {', '.join(sorted(needed))}")
    sys.exit(1 if problems else 0)


main()
