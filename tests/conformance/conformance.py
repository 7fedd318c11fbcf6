#!/usr/bin/env python3
"""Compares `sunup render env` with the recorded cases (cases.py describes a case).

usage: conformance.py SUNUP [CASE...]

Plain variables must match byte for byte. Files inside variables are compared as their reader parses them: TOML and JSON
parsed, Corefiles word by word, kernel settings as a set, the CNI template without its white space. Prints the
differences, then the count; exit 0 only if there are none.
"""
import base64
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import tomllib

import cases

HERE = os.path.dirname(os.path.abspath(__file__))


def corefile_lines(text):
    lines = (" ".join(raw.partition("#")[0].split()) for raw in text.splitlines())
    return [words for words in lines if words]


def sysctl_settings(text):
    pairs = (raw.partition("=") for raw in text.splitlines() if "=" in raw)
    return {key.strip(): " ".join(value.split()) for key, _, value in pairs}


READERS = {
    "toml": tomllib.loads,
    "json": lambda text: json.loads(text) if text else "",
    "corefile": corefile_lines,
    "sysctl": sysctl_settings,
    "template": lambda text: "".join(text.split()),
}
KINDS = {
    "CONTAINERD_CONFIG_CONTENT": "toml",
    "CONTAINERD_CONFIG_NO_GPU_CONTENT": "toml",
    "LOCALDNS_COREFILE_BASE": "corefile",
    "LOCALDNS_COREFILE_WITH_HOSTS": "corefile",
    "LOCALDNS_GENERATED_COREFILE": "corefile",
}


class Unreadable(Exception):
    pass


def meaning(kind, value):
    try:
        return READERS[kind](base64.b64decode(value, validate=True).decode("utf-8"))
    except ValueError as error:  # bad base64, UTF-8, TOML and JSON are all ValueErrors
        raise Unreadable(f"is not base64 of {kind}: {error}") from error


def shorten(value):
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) <= 160 else text[:157] + "..."


def problems_of_environment(case, got):
    for key in sorted(case["env"].keys() | got.keys()):
        if key in case["structured"] or key in case["must_be_valid"]:
            continue
        want = case["env"].get(key)
        if got.get(key) != want:
            yield f"{key}: want {shorten(want)}, got {shorten(got.get(key))}"
    for key, want in case["structured"].items():
        try:
            value = meaning(want["kind"], got.get(key, "missing"))
            if value != want["value"]:
                yield f"{key}: means {shorten(value)}, want {shorten(want['value'])}"
        except Unreadable as error:
            yield f"{key}: {error}"
    for key in case["must_be_valid"]:
        try:
            if "<nil>" in json.dumps(meaning(KINDS[key], got.get(key, "missing"))):
                yield f"{key}: holds <nil>"
        except Unreadable as error:
            yield f"{key}: {error}"


def problems(sunup, case, folder):
    path = os.path.join(folder, case["name"] + ".json")
    with open(path, "wb") as file:
        file.write(case["config"])
    done = subprocess.run(
        [sunup, "render", "env", "--config", path, "--containerd-version", case["containerd_version"],
         "--components", os.path.join(HERE, "components.json"), "--format", "json"],
        capture_output=True, timeout=60, check=False)
    reason = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode not in (0, 1):
        return [f"exit code {done.returncode}: {reason}"]
    if done.returncode == 1:
        if case["verdict"] == "env":
            return [f"refused: {reason}"]
        found = [] if reason else ["refused without a reason"]
        if done.stdout:
            found.append("refused, but printed something")
        # The reason is the last line; warnings may precede it, as for an accepted config.
        return found
    if case["verdict"] in ("malformed", "unsupported"):
        return [f"accepted, but is {case['verdict']}"]
    got = json.loads(done.stdout)
    return list(problems_of_environment(case, got)) if case["verdict"] == "env" else []


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sunup, wanted = sys.argv[1], set(sys.argv[2:])
    chosen = [case for case in cases.load() if not wanted or case["name"] in wanted]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, found in zip(chosen, pool.map(lambda case: problems(sunup, case, folder), chosen)):
            wrong += bool(found)
            for problem in found:
                print(f"{case['name']}: {problem}")
    print(f"{len(chosen) - wrong} of {len(chosen)} cases conform")
    sys.exit(1 if wrong or not chosen else 0)


if __name__ == "__main__":
    main()
