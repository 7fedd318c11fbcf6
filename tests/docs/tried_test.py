#!/usr/bin/env python3
"""The table "What was tried on what" of docs/install.md, made from the tables of the tests: tried_test.py SUNUP

Fails if the page shows another one; UPDATE_DOCS=1 rewrites the page. Sources: tests/e2e/parts.py and cases/*/case.json (containers and virtual
machines), tests/golden/cases/*/facts.json (rendered), tests/packaging/tried.json (trees in which packages were installed), the operating
systems that `sunup render custom-data` knows, and the folders of tests/ that run for arm64.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "docs/install.md"
BEGIN, END = "<!-- begin: tests/docs/tried_test.py -->\n", "<!-- end -->"
sys.path.insert(0, str(TESTS / "e2e"))

import parts  # noqa: E402

NAMES = {"ubuntu2204": "Ubuntu 22.04", "ubuntu2404": "Ubuntu 24.04", "azurelinux3": "Azure Linux 3", "osguard": "Azure Linux OS Guard",
         "mariner2": "Azure Linux 2", "flatcar": "Flatcar", "acl": "Azure Container Linux", "bookworm": "Debian 12", "trixie": "Debian 13"}


NAMES_OF_FORMATS = {"deb": ".deb", "rpm": ".rpm", "sysext": "system extension (.raw)", "tar": ".tar.gz"}


def nodes() -> dict[str, set[str]]:
    """Row of parts to where cases run on it (container, vm) and whether one has the package, as `./dev e2e` and `./dev e2e --vm` run them."""
    found = {name: set() for name in parts.ROWS}
    for file in sorted((TESTS / "e2e/cases").glob("*/case.json")):
        case = json.loads(file.read_text())
        wanted = case.get("parts", parts.DEFAULT.name)
        rows = list(parts.ROWS) if wanted == "all" else [wanted]
        if case.get("vm") is not True:
            for row in rows:
                # boot: custom-data is an image with the package (tests/e2e/README.md).
                found[row] |= {"container", "package"} if case.get("boot") == "custom-data" else {"container"}
        if case.get("vm"):
            found[rows[0]].add("vm")
    return found


def table(sunup: str) -> str:
    told = subprocess.run([sunup, "render", "files", "--config", os.devnull, "--out", os.devnull, "--os", "?"], capture_output=True, text=True, check=False)
    # Those two are for images of other releases and systems.
    systems = [name for name in re.search(r"not in \{([a-z0-9,]+)\}", told.stderr)[1].split(",") if name not in ("ubuntu", "unknown")]
    golden = {json.loads(f.read_text()).get("os", "ubuntu2204") for f in (TESTS / "golden/cases").glob("*/facts.json")}
    tried = json.loads((TESTS / "packaging/tried.json").read_text())
    packages = collections.defaultdict(list)
    for tree in tried["amd64"].values():
        for system in tree["stands for"]:
            packages[system].append(tree["what was done"])
    lines = ["| image | on Azure | in a virtual machine | in a container | files rendered and compared | package installed |", "| --- " * 6 + "|"]
    for name, where in nodes().items():
        row = parts.ROWS[name]
        title = NAMES[row.suite] + (f" with {' and '.join(row.newer)} of Debian's testing suite" if row.newer else "")
        lines.append(f"| {title}, kubelet {row.version} | no | {'yes' if 'vm' in where else 'no'} | {'yes' if 'container' in where else 'no'} | no | "
                     f"{'; '.join(packages[row.suite] + ['the .deb, on nodes'] * ('package' in where)) or 'no'} |")
    for system in systems:
        lines.append(f"| {NAMES[system]} | no | no | no | {'yes' if system in golden else 'only custom data'} | "
                     f"{'; '.join(packages[system]) or 'no'} |")
    return "\n".join(lines) + "\n\n" + arm64(systems, golden, tried["arm64"], tried["arm64 lane"])


def arm64(systems: list[str], golden: set[str], packages: dict[str, str], ran: list[str]) -> str:
    """`ran` are the parts of the lane that ran and passed as a whole: folders of tests/, and rooms by their names in CMakeLists.txt."""
    folders = re.search(r'INCLUDE REGEX "/\(([a-z|]+)\)/', (TESTS / "CMakeLists.txt").read_text())[1].split("|")
    rooms = re.findall(r"(?m)^sunup_room\((\w+)", (TESTS.parent / "CMakeLists.txt").read_text())
    if unknown := set(ran) - {f"tests/{f}" for f in folders} - set(rooms):
        sys.exit(f"tests/packaging/tried.json: no part of the lane arm64: {', '.join(sorted(unknown))}")
    lane = [(f"`tests/{f}`", f"tests/{f}" in ran) for f in folders] + [(f"`{room}`", room in ran) for room in rooms]

    def listed(passed: bool) -> str:
        return ", ".join(name for name, has_passed in lane if has_passed == passed) or "nothing"
    rendered = ", ".join(NAMES[s] for s in systems if s in golden)
    lines = [
        "All of this is amd64. No arm64 machine was used, and no arm64 node was booted. `./dev test arm64`, which is not among the default lanes,"
        " runs on amd64, in an emulator (qemu-user). Its parts are folders of tests and the unit tests of the rooms of `src/`.", "",
        "| arm64 | what was done |", "| --- | --- |",
        f"| ran and passed | {listed(True)} |", f"| did not run as a whole | {listed(False)} |",
        f"| {rendered} | files rendered and compared with those of amd64; the differences are listed in `tests/golden/cases/*/arm64` |",
        "| other images | nothing |",
        *(f"| {NAMES_OF_FORMATS[form]} | {done}; its program starts in the emulator |" for form, done in packages.items())]
    return "\n".join(lines) + "\n"


def main():
    text = PAGE.read_text()
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    wanted = table(sys.argv[1])
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(text[:start] + wanted + text[end:])
    elif text[start:end] != wanted:
        sys.exit(f"{PAGE.name} does not show what the tests' tables say; UPDATE_DOCS=1 {sys.argv[0]} {sys.argv[1]} rewrites it. Wanted:\n{wanted}")
    print(f"{PAGE.name}: {wanted.count(chr(10))} lines about what was tried")


main()
