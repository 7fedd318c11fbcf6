#!/usr/bin/env python3
"""Holds what `sunup config check` knows of kubelet's flags against kubelets.

usage: kubelet_flags_test.py --sunup SUNUP KUBELET...

For each kubelet: every flag of its --help is known and takes its default; a value that kubelet cannot read is refused; every flag that is
known and that this kubelet does not have is refused for its version. Which flags are known is read from the table itself. Kubelet reads
its flags before it prints its help, so that `kubelet FLAG=VALUE --help` tells whether it knows the flag and can read the value.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "src/contract/kubelet_settings.cc"
PATH = re.compile(r'\$\.kubelet_config\.kubelet_flags\["(--[^"]+)"\]')
FLAG = re.compile(r"^ +(?:-\w, )?(--[a-z0-9-]+)(?: (\S+))?(?: {2,}(.*))?$")
DEFAULT = re.compile(r'\(default (?:"([^"]*)"|\[([^\]]*)\]|([^)]*))\)')
NOTHING = ("", "0", "0s", "a=b")  # for flags without a default: kubelet can read one of these as none, zero or false
NO_VALUE = "word"  # neither a number nor a duration, an address, a pair, true or false


class Kubelet:
    def __init__(self, program: str):
        self.program = program
        self.version = self.says("--version").split()[-1].lstrip("v")
        self.flags = self.read_help()  # with their defaults

    def says(self, *arguments: str) -> str:
        return subprocess.run([self.program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, timeout=60).stdout

    def read_help(self) -> dict[str, str | None]:
        texts: dict[str, str] = {}
        last = None
        for line in self.says("--help").splitlines():
            if found := FLAG.match(line):
                last = found[1]
                texts[last] = found[3] or ""
            elif last and line.startswith("    "):
                texts[last] += " " + line.strip()
            else:
                last = None
        texts.pop("--help", None)
        return {name: default_in(text) for name, text in texts.items()}

    def has(self, flag: str) -> bool:
        return f"unknown flag: {flag}" not in self.says(f"{flag}={NO_VALUE}", "--help")

    def takes(self, flag: str, value: str) -> bool:
        return "invalid argument" not in self.says(f"{flag}={value}", "--help")

    def good_value(self, flag: str) -> str:
        default = self.flags[flag]
        return default if default is not None else next(value for value in NOTHING if self.takes(flag, value))


def default_in(text: str) -> str | None:
    found = DEFAULT.search(text)
    return next((group for group in found.groups() if group is not None), None) if found else None


def judged(sunup: str, version: str, flags: dict[str, str]) -> dict[str, set[str]]:
    """The result of `config check` for each flag: "error kubelet-flag", "warning kubelet-flag-gone"."""
    config = {"version": "v1", "kubernetes_version": version, "kubelet_config": {"kubelet_flags": flags}}
    done = subprocess.run([sunup, "config", "check", "--format", "json", "-"], input=json.dumps(config), capture_output=True, text=True,
                          check=False, timeout=60)
    said: dict[str, set[str]] = {name: set() for name in flags}
    for file in json.loads(done.stdout)["files"]:
        for finding in file["findings"]:
            if found := PATH.search(finding["path"]):
                said[found[1]].add(f'{finding["severity"]} {finding["rule"]}')
    return said


class Tally:
    def __init__(self) -> None:
        self.passed = self.failed = 0

    def expect(self, good: bool, what: str) -> None:
        self.passed += good
        self.failed += not good
        if not good:
            print(f"FAILED: {what}")


def compare(tally: Tally, sunup: str, kubelet: Kubelet, pool: ThreadPoolExecutor) -> None:
    version = kubelet.version
    tally.expect(len(kubelet.flags) > 100, f"{kubelet.program} --help lists {len(kubelet.flags)} flags")
    names = sorted(kubelet.flags)

    good = dict(zip(names, pool.map(kubelet.good_value, names)))
    for name, said in judged(sunup, version, good).items():
        wrong = {one for one in said if one.endswith((" kubelet-flag", " kubelet-flag-gone"))}
        tally.expect(not wrong, f"{version} {name}={good[name]}: kubelet has the flag and takes the value; check says {sorted(wrong)}")

    readable = dict(zip(names, pool.map(lambda name: kubelet.takes(name, NO_VALUE), names)))
    for name, said in judged(sunup, version, {name: NO_VALUE for name in names if not readable[name]}).items():
        tally.expect(any(one.startswith("error ") for one in said), f"{version} {name}={NO_VALUE}: kubelet cannot read it; check says "
                     f"{sorted(said)}")

    # --help omits hidden flags, so kubelet itself is run with them.
    others = sorted(set(re.findall(r'"(--[a-z0-9-]+)"', TABLE.read_text())) - set(names))
    there = dict(zip(others, pool.map(kubelet.has, others)))
    for name, said in judged(sunup, version, {name: "" for name in others}).items():
        refused = any(one.endswith(" kubelet-flag-gone") for one in said)
        tally.expect(refused != there[name], f"{version} {name}: kubelet {'has' if there[name] else 'lacks'} it; check says {sorted(said)}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sunup", required=True)
    parser.add_argument("kubelets", nargs="+", metavar="KUBELET")
    given = parser.parse_args()
    tally = Tally()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for kubelet in given.kubelets:
            compare(tally, given.sunup, Kubelet(kubelet), pool)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 0 if tally.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
