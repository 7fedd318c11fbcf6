#!/usr/bin/env python3
"""Prints how large the product is and how long it takes to compile, beside the last release: figures.py BUILD_DIR

Compiler seconds are the sum over all objects of BUILD_DIR as ninja logged them; with a warm ccache they are small. At a
release, `figures.py BUILD_DIR --release` records the figures in tools/figures.json, from a build without ccache
(CCACHE_DISABLE=1).
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "tools" / "figures.json"


def product_lines() -> int:
    files = subprocess.run(["git", "ls-files", "src", "apps", "include"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    product = [f for f in files if f.endswith((".cc", ".h")) and not f.endswith("_test.cc") and not pathlib.Path(f).name.startswith("test_")]
    return sum((ROOT / f).read_bytes().count(b"\n") for f in product)


def objects(build: pathlib.Path) -> dict[str, int]:
    """Milliseconds that each object took when it was last made."""
    entries = (line.split("\t") for line in (build / ".ninja_log").read_text().splitlines() if not line.startswith("#"))
    return {e[3]: int(e[1]) - int(e[0]) for e in entries if e[3].endswith(".o")}


def main():
    build = pathlib.Path(sys.argv[1])
    programs = objects(build)
    figures = {
        "product lines": product_lines(),
        "objects, with tests": len(programs),
        "compiler seconds": round(sum(programs.values()) / 1000),
        **{f"{name}, kB": (build / "apps" / name).stat().st_size // 1000 for name in ("aks-node-controller", "sunup")},
    }
    if "--release" in sys.argv:
        RECORD.write_text(json.dumps(figures, indent=2) + "\n")
    last = json.loads(RECORD.read_text())
    print(f"{'':22}{'now':>10}{'last release':>15}")
    for name, value in figures.items():
        print(f"{name:22}{value:>10}{last.get(name, '-'):>15}")


main()
