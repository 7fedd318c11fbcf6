#!/usr/bin/env python3
"""The node image: a Debian tree that looks like an AKS image to the node controller. Made once per recipe, kept in the cache.

The recipe is the folder image/ beside this file. Run by hand to fill the cache: tests/e2e/images.py
"""

import hashlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import cache
import k8s
from progress import Progress

RECIPE = Path(__file__).resolve().parent / "image"
SUITE = "bookworm"


def ensure() -> Path:
    """The root directory of the image for the recipe as it is now. Never write into it: nodes get an overlay."""
    final = cache.root() / f"node-image-{recipe_hash()}"
    if final.exists():
        return final
    with cache.scratch("image") as work, InstallProgress("node image", work / "log") as progress:
        progress.enter("installing Debian packages into a new tree")
        bootstrap(work / "tree", progress)
        if not final.exists():
            (work / "tree").rename(final)
    remove_older(final)
    return final


def recipe_hash() -> str:
    digest = hashlib.sha256(f"{SUITE}\n".encode())
    for f in sorted(p for p in RECIPE.rglob("*") if p.is_file()):
        digest.update(f"{f.relative_to(RECIPE)} {f.stat().st_mode & 0o777:o}\n".encode() + f.read_bytes())
    return digest.hexdigest()[:12]


class InstallProgress(Progress):
    def notice(self, line: str):
        # dpkg, package by package.
        if line.startswith(("Unpacking ", "Setting up ")):
            self.note = line.split(" (")[0].strip().lower()


def bootstrap(tree: Path, progress: Progress):
    words = re.sub(r"#.*", "", (RECIPE / "packages.txt").read_text()).split()
    argv = [
        "nice", "mmdebstrap", "--variant=minbase", "--mode=root", f"--include={','.join(words)}",
        "--dpkgopt=force-unsafe-io", "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
        "--dpkgopt=path-exclude=/usr/share/locale/*", "--aptopt=Acquire::Languages \"none\"",
        *(f"--aptopt={line}" for line in apt_transport_settings()),
        f'--customize-hook="{RECIPE}/customize.sh" "$1" "{RECIPE}/root"',
        SUITE, str(tree), *machine_repositories(),
    ]
    progress.run(argv)


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


def kubernetes_layer() -> Path:
    """What an AKS image carries of Kubernetes, as a layer over the image: the programs, each named after its version."""
    layer = k8s.ensure() / "layer"
    if not layer.exists():
        with cache.scratch("layer") as work:
            programs = work / "layer" / "opt" / "bin"
            programs.mkdir(parents=True)
            for program in ("kubelet", "kubectl"):
                os.link(k8s.home() / program, programs / f"{program}-{k8s.VERSION}")
            if not layer.exists():
                (work / "layer").rename(layer)
    return layer


def stand_in_layer(directory: Path) -> Path:
    """The same with a kubelet that only notes how it was started, for who does not want to wait for Kubernetes to compile."""
    programs = directory / "opt" / "bin"
    programs.mkdir(parents=True)
    for program in ("kubelet", "kubectl"):
        shutil.copy(RECIPE.parent / "stand_in" / program, programs / f"{program}-{k8s.VERSION}")
    return directory


def remove_older(current: Path):
    """Images of earlier recipes, unless somebody used one within the last day."""
    for old in cache.root().glob("node-image-*"):
        if old != current and time.time() - old.stat().st_mtime > 86400:
            shutil.rmtree(old, ignore_errors=True)


if __name__ == "__main__":
    print(ensure())
