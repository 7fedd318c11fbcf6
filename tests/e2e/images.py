#!/usr/bin/env python3
"""Node images: Debian trees that look like an AKS image to the node controller. Each is made once per recipe and kept in the cache.

The recipe is the folder image/ beside this file and a row of parts.py. Run this by hand to fill the cache: tests/e2e/images.py [ROW...]
"""

import hashlib
import os
import re
import shutil
import sys
from pathlib import Path

import cache
import debian
import k8s
import parts
from progress import Progress

RECIPE = Path(__file__).resolve().parent / "image"


def ensure(row: parts.Parts = parts.DEFAULT) -> Path:
    """The root directory of the row's image for the current recipe. It must not be written to: nodes get an overlay."""
    final = cache.root() / f"node-image-{row.name}-{recipe_hash(row)}"
    if final.exists():
        return final
    with cache.turn(f"node-image-{row.name}", lambda: print(f"node image {row.name}: another process creates it", file=sys.stderr, flush=True)):
        if final.exists():
            return final
        with cache.scratch("image") as work, InstallProgress(f"node image {row.name}", work / "log") as progress:
            bootstrap(row, work, progress)
            (work / "tree").rename(final)
    cache.remove_older(f"node-image-{row.name}-*", final)
    return final


def recipe_hash(row: parts.Parts) -> str:
    digest = hashlib.sha256(f"{row.suite} {' '.join(row.newer)} {debian.TESTING if row.newer else ''}\n".encode())
    for f in sorted(p for p in RECIPE.rglob("*") if p.is_file()):
        digest.update(f"{f.relative_to(RECIPE)} {f.stat().st_mode & 0o777:o}\n".encode() + f.read_bytes())
    return digest.hexdigest()[:12]


class InstallProgress(Progress):
    def notice(self, line: str):
        # dpkg, package by package.
        if line.startswith(("Unpacking ", "Setting up ")):
            self.note = line.split(" (")[0].strip().lower()


def bootstrap(row: parts.Parts, work: Path, progress: Progress):
    words = re.sub(r"#.*", "", (RECIPE / "packages.txt").read_text()).split()
    hooks = []
    if row.newer:
        newer = work / "newer"
        newer.mkdir()
        with debian.packages(debian.TESTING, progress) as apt:
            for deb in apt.download(*row.newer):
                shutil.move(deb, newer)
        hooks.append(f'--customize-hook=cp -r "{newer}" "$1/tmp/newer" && chroot "$1" sh -c "dpkg --install /tmp/newer/*.deb" && rm -r "$1/tmp/newer"')
    progress.enter("installing Debian packages into a new tree")
    progress.run([
        "nice", "mmdebstrap", "--variant=minbase", "--mode=root", f"--include={','.join(words)}",
        "--dpkgopt=force-unsafe-io", "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
        "--dpkgopt=path-exclude=/usr/share/locale/*", "--aptopt=Acquire::Languages \"none\"",
        *(f"--aptopt={line}" for line in debian.transport_settings()),
        *hooks, f'--customize-hook="{RECIPE}/customize.sh" "$1" "{RECIPE}/root"',
        row.suite, str(work / "tree"), *debian.repositories(row.suite),
    ])


def versions(row: parts.Parts) -> dict[str, str]:
    """The contents of the row's image according to its package database, and its kubelet."""
    text = (ensure(row) / "var/lib/dpkg/status").read_text()
    found = dict(re.findall(r"(?m)^Package: (systemd|cloud-init|containerd|runc)\n(?:.+\n)*?Version: (\S+)", text))
    # Without Debian's own marks: 257.13-1~deb13u1 is systemd 257.13.
    return {name: re.match(r"(?:\d+:)?([\d.]+)", found[name])[1] for name in ("systemd", "cloud-init", "containerd", "runc")} | {"kubelet": row.version}


def kubernetes_layer(row: parts.Parts = parts.DEFAULT) -> Path:
    """The Kubernetes programs of an AKS image, as a layer over the image, each named after its version."""
    layer = k8s.home(row.kubernetes) / "layer"
    if not layer.exists():
        with cache.scratch("layer") as work:
            programs = work / "layer" / "opt" / "bin"
            programs.mkdir(parents=True)
            os.link(k8s.kubelet(row), programs / f"kubelet-{row.version}")
            # The cluster's: nothing on a node depends on its version, and it is compiled already.
            os.link(k8s.control_plane(), programs / f"kubectl-{row.version}")
            if not layer.exists():
                (work / "layer").rename(layer)
    return layer


def stand_in_layer(directory: Path, row: parts.Parts = parts.DEFAULT) -> Path:
    """The same with a kubelet that only records how it was started, for runs that do not wait until Kubernetes is compiled."""
    programs = directory / "opt" / "bin"
    programs.mkdir(parents=True)
    for program in ("kubelet", "kubectl"):
        shutil.copy(RECIPE.parent / "stand_in" / program, programs / f"{program}-{row.version}")
    return directory


if __name__ == "__main__":
    for name in sys.argv[1:] or parts.ROWS:
        print(ensure(parts.ROWS[name]))
