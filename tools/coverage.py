#!/usr/bin/env python3
"""Prints what the unit tests cover, by room, and the files of which they cover the least.

usage: coverage.py BUILD_DIR [--below PERCENT]

BUILD_DIR is a build of the preset `coverage`; its folder profiles/ contains what the tests wrote (./dev test coverage). A line
counts as covered if any test runs it. Test code, generated code and libraries do not count.
"""
import argparse
import collections
import json
import pathlib
import subprocess


def tool(name):
    return f"/usr/lib/llvm-19/bin/{name}"


def measured(build):
    """{path below the source tree: (lines, covered lines)}"""
    profile = build / "coverage.profdata"
    inputs = build / "profiles.txt"
    inputs.write_text("".join(f"{path}\n" for path in sorted((build / "profiles").glob("*.profraw"))))
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", f"--input-files={inputs}", "-o", profile], check=True)
    programs = sorted(build.glob("*_test"))
    objects = [word for program in programs[1:] for word in ("-object", program)]
    exported = subprocess.run([tool("llvm-cov"), "export", "-summary-only", "-instr-profile", profile, programs[0], *objects],
                              check=True, capture_output=True, text=True).stdout
    files = {}
    for file in json.loads(exported)["data"][0]["files"]:
        name = file["filename"]
        name = name[name.rfind("src/"):] if "src/" in name else name
        if name.startswith("src/") and not name.endswith("_test.cc") and "/test_" not in name:
            lines = file["summary"]["lines"]
            files[name] = (lines["count"], lines["covered"])
    return files


def percent(lines, covered):
    return 100 * covered / lines if lines else 100


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--below", type=float, default=70, help="list the files of which less than this is covered")
    options = parser.parse_args()
    files = measured(options.build)
    rooms = collections.defaultdict(lambda: [0, 0])
    for name, (lines, covered) in files.items():
        room = name.removeprefix("src/").rsplit("/", 1)[0]
        for key in (room, "all"):
            rooms[key][0] += lines
            rooms[key][1] += covered
    print(f"{'room':<14}{'lines':>8}{'not covered':>13}{'covered':>10}")
    for room, (lines, covered) in sorted(rooms.items(), key=lambda item: (item[0] == "all", item[0])):
        print(f"{room:<14}{lines:>8}{lines - covered:>13}{percent(lines, covered):>9.1f}%")
    print(f"\nfiles of which less than {options.below:g} % is covered:")
    for name, (lines, covered) in sorted(files.items(), key=lambda item: item[1][1] - item[1][0]):
        if percent(lines, covered) < options.below:
            print(f"{lines - covered:>6} of {lines:<6} {name}")


if __name__ == "__main__":
    main()
