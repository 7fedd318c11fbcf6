#!/usr/bin/env python3
"""The node image: a Debian tree that looks like an AKS image to the node controller. Made once per recipe, kept in the cache.

The recipe is the folder image/ beside this file. Run by hand to fill the cache: tests/e2e/images.py
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import cache
import k8s

RECIPE = Path(__file__).resolve().parent / "image"
SUITE = "bookworm"


def ensure() -> Path:
    """The root directory of the image for the recipe as it is now. Never write into it: nodes get an overlay."""
    final = cache.root() / f"node-image-{recipe_hash()}"
    if final.exists():
        return final
    programs = k8s.ensure()
    begin = time.monotonic()
    print("node image: installing Debian packages into a new tree (about a minute)", file=sys.stderr, flush=True)
    with cache.scratch("image") as work:
        tree = work / "tree"
        bootstrap(tree, work / "log")
        for program in ("kubelet", "kubectl"):
            place_cached(programs / program, tree / "opt" / "bin" / f"{program}-{k8s.VERSION}")
        if not final.exists():
            tree.rename(final)
    print(f"node image: made in {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    remove_older(final)
    return final


def recipe_hash() -> str:
    digest = hashlib.sha256(f"{SUITE} {k8s.VERSION}\n".encode())
    for f in sorted(p for p in RECIPE.rglob("*") if p.is_file()):
        digest.update(f"{f.relative_to(RECIPE)} {f.stat().st_mode & 0o777:o}\n".encode() + f.read_bytes())
    return digest.hexdigest()[:12]


def bootstrap(tree: Path, log: Path):
    words = re.sub(r"#.*", "", (RECIPE / "packages.txt").read_text()).split()
    argv = [
        "nice", "mmdebstrap", "--variant=minbase", "--mode=root", f"--include={','.join(words)}",
        "--dpkgopt=force-unsafe-io", "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
        "--dpkgopt=path-exclude=/usr/share/locale/*", "--aptopt=Acquire::Languages \"none\"",
        *(f"--aptopt={line}" for line in apt_transport_settings()),
        f'--customize-hook="{RECIPE}/customize.sh" "$1" "{RECIPE}/root"',
        SUITE, str(tree), *machine_repositories(),
    ]
    with open(log, "wb") as out:
        code = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT).returncode
    if code != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
        raise RuntimeError(f"mmdebstrap failed with {code}; the end of its output:\n{tail}")


def machine_repositories() -> list[str]:
    """This machine's own Debian repositories of our suite, so that the image comes from wherever the machine gets its packages."""
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages"],
        capture_output=True, text=True, check=True).stdout.split("\n")
    # Only Debian's own suites carry this name or one that starts with it (-updates, -security).
    lines = sorted({f"deb {t}" for t in targets if re.search(rf" {SUITE}(-updates|-security)? main$", t)})
    if not lines:
        raise RuntimeError(f"this machine's apt sources name no Debian {SUITE} repository to build the node image from")
    return lines


def apt_transport_settings() -> list[str]:
    """How this machine reaches its repositories (proxies, mirrors with old dates)."""
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"(?m)^(Acquire::(?:https?::Proxy|Check-Valid-Until|Retries)[^;]*);$", dump)


def place_cached(source: Path, target: Path):
    """A hard link where possible: the programs are 100 MB each and nobody writes to either copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def remove_older(current: Path):
    """Images of earlier recipes, unless somebody used one within the last day."""
    for old in cache.root().glob("node-image-*"):
        if old != current and time.time() - old.stat().st_mtime > 86400:
            shutil.rmtree(old, ignore_errors=True)


if __name__ == "__main__":
    print(ensure())
