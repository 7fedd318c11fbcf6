#!/usr/bin/env python3
"""Runs clang-tidy over the files of a compilation database, and remembers which were clean.

usage: tidy.py BUILD_DIR [FILE...]

A file's key is the hash of its preprocessed text, of .clang-tidy and of the tool's version, so a change in a header
brings back just the files that see it. Clean keys are kept in $SUNUP_CACHE/tidy; a file with findings is never kept.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

TIDY, CLANG = "clang-tidy-19", "clang++-19"
# The database is g++'s, and some of its warnings clang has never heard of.
FLAGS = ["--extra-arg=-Wno-unknown-warning-option"]


def commands(build):
    root = pathlib.Path.cwd()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        # The product, not its tests: gtest's macros drown clang-tidy in findings that are nobody's bug.
        if path.is_relative_to(root) and path.relative_to(root).parts[0] in ("src", "apps") and not path.stem.endswith(("_test", "_bench")):
            yield path, entry


def key(entry, salt):
    words = shlex.split(entry["command"])
    words = [w for w in words if not w.endswith("ccache")]
    # The same flags, but for clang and only as far as the preprocessor.
    out = words.index("-o")
    args = [CLANG, *words[1:out], *words[out + 2 :], "-E", "-P", "-w"]
    text = subprocess.run(args, cwd=entry["directory"], capture_output=True, check=False).stdout
    return hashlib.sha256(salt + text).hexdigest()


def main():
    build = pathlib.Path(sys.argv[1])
    only = {pathlib.Path(f).resolve() for f in sys.argv[2:]}
    cache = pathlib.Path(os.environ["SUNUP_CACHE"]) / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    salt = version + pathlib.Path(".clang-tidy").read_bytes()
    jobs = {path: entry for path, entry in commands(build) if not only or path in only}

    def check(item):
        path, entry = item
        clean = cache / key(entry, salt)
        if clean.exists():
            return path, None, 0
        run = subprocess.run([TIDY, "--quiet", *FLAGS, "-p", str(build), str(path)], capture_output=True, text=True, check=False)
        if run.returncode == 0:
            clean.touch()
        return path, run.stdout if run.returncode else "", run.returncode

    fresh = bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, (path, text, status) in enumerate(pool.map(check, jobs.items()), 1):
            fresh += text is not None
            bad += status != 0
            if status:
                print(text)
            elif text is not None:
                print(f"[{done}/{len(jobs)}] {path.relative_to(pathlib.Path.cwd())}", file=sys.stderr)
    print(f"clang-tidy: {len(jobs)} files, {fresh} read afresh, {bad} with findings", file=sys.stderr)
    sys.exit(1 if bad else 0)


main()
