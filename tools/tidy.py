#!/usr/bin/env python3
"""Runs clang-tidy over the files of a compilation database, and remembers which were clean.

usage: tidy.py BUILD_DIR [FILE...]

A file's key is the hash of its preprocessed text and of all that decides what is found in it (.clang-tidy, the plugin,
the flags, the tool's version), so a change in a header brings back just the files that see it. Clean keys are kept in
$SUNUP_CACHE/tidy; a file with findings never is.
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
# The database is g++'s, and some of its warnings clang has never heard of. The analyzer follows calls less far than it
# would by itself, which takes three quarters of a file's time: the sanitizers' lanes follow every call.
FLAGS = ["--quiet", "--extra-arg=-Wno-unknown-warning-option", *(
    f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow"))]
PLUGIN = pathlib.Path(__file__).with_name("tidy_own_code.cc")


def commands(build):
    root = pathlib.Path.cwd()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        # The product, not its tests: gtest's macros drown clang-tidy in findings that are nobody's bug.
        if path.is_relative_to(root) and path.relative_to(root).parts[0] in ("src", "apps") and not path.stem.endswith(("_test", "_bench")):
            yield path, entry


def plugin(build):
    """What keeps clang-tidy out of the system's headers; PLUGIN says why."""
    made = build / "tidy_own_code.so"
    if not made.exists() or made.stat().st_mtime < PLUGIN.stat().st_mtime:
        subprocess.run([CLANG, "-std=c++20", "-O1", "-fPIC", "-shared", "-fno-rtti", f"-I/usr/lib/llvm-{LLVM}/include",
                        str(PLUGIN), "-o", str(made)], check=True)
    return made


def key(entry, salt):
    """None if there is none: what does not even preprocess is clang-tidy's to judge, each time."""
    words = shlex.split(entry["command"])
    words = [w for w in words if not w.endswith("ccache")]
    # The same flags, but for clang and only as far as the preprocessor.
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
    salt = version + " ".join(FLAGS).encode() + pathlib.Path(".clang-tidy").read_bytes() + PLUGIN.read_bytes()
    tidy = [TIDY, *FLAGS, f"--load={plugin(build)}", "-p", str(build)]
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
