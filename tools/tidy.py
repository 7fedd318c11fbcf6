#!/usr/bin/env python3
"""Runs clang-tidy on the files of a compilation database, and remembers the files without findings.

usage: tidy.py BUILD_DIR [FILE...]

The key of a file is the hash of its preprocessed text and of everything that determines the findings (.clang-tidy, the
flags, the version of the tool), so after a change of a header only the files that include it are checked again. The keys of
files without findings are kept in $SUNUP_CACHE/tidy.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

LLVM = "19"
TIDY, CLANG = f"clang-tidy-{LLVM}", f"clang++-{LLVM}"
# clang does not know some warning options of g++. The analyzer follows calls less far than by default, which takes three
# quarters of the time of a file; the lanes with sanitizers execute these calls.
FLAGS = ["--quiet", "--extra-arg=-Wno-unknown-warning-option", *(
    f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow"))]


def commands(build):
    root = pathlib.Path.cwd()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        # The product, not its tests: clang-tidy has many findings in the macros of gtest that are not bugs.
        if path.is_relative_to(root) and path.relative_to(root).parts[0] in ("src", "apps") and not path.stem.endswith(("_test", "_bench")):
            yield path, entry


def key(entry, salt):
    """None if the file cannot be preprocessed; clang-tidy then checks it every time."""
    words = shlex.split(entry["command"])
    words = [w for w in words if not w.endswith("ccache")]
    # The same flags, for clang, and only for preprocessing.
    out = words.index("-o")
    args = [CLANG, *words[1:out], *words[out + 2 :], "-E", "-P", "-w"]
    run = subprocess.run(args, cwd=entry["directory"], capture_output=True, check=False)
    return None if run.returncode else hashlib.sha256(salt + run.stdout).hexdigest()


def main():
    build = pathlib.Path(sys.argv[1])
    only = {pathlib.Path(f).resolve() for f in sys.argv[2:]}
    cache = pathlib.Path(os.environ["SUNUP_CACHE"]) / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    salt = version + " ".join(FLAGS).encode() + pathlib.Path(".clang-tidy").read_bytes()
    tidy = [TIDY, *FLAGS, "-p", str(build)]
    jobs = {path: entry for path, entry in commands(build) if not only or path in only}
    if unknown := only - jobs.keys():
        sys.exit(f"tidy.py: not a source file of the product: {', '.join(map(str, sorted(unknown)))}")

    def check(item):
        path, entry = item
        name = key(entry, salt)
        if name and (cache / name).exists():
            return path, None, 0
        run = subprocess.run([*tidy, str(path)], capture_output=True, text=True, check=False)
        if name and run.returncode == 0:
            (cache / name).touch()
        return path, run.stdout + run.stderr if run.returncode else "", run.returncode

    fresh = bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, (path, text, status) in enumerate(pool.map(check, jobs.items()), 1):
            fresh += text is not None
            bad += status != 0
            if status:
                print(text, flush=True)
            elif text is not None:
                print(f"[{done}/{len(jobs)}] {path.relative_to(pathlib.Path.cwd())}", file=sys.stderr)
    print(f"clang-tidy: {len(jobs)} files, {fresh} read afresh, {bad} with findings", file=sys.stderr)
    sys.exit(1 if bad else 0)


main()
