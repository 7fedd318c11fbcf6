#!/usr/bin/env python3
"""The Kubernetes of the real-node tests: kubelet, kube-apiserver, kube-controller-manager and kubectl.

Debian ships no kubelet, but it ships the source package `kubernetes`. This compiles the programs from it, once, and
keeps them in $SUNUP_CACHE/kubernetes-VERSION/. Run it by hand to fill the cache: tests/e2e/k8s.py (--is-built only
tells whether it is filled).
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cache
from progress import Progress

VERSION = "1.20.2"
# kubectl too: Debian has it as kubernetes-client, but that package cannot be installed beside a kubectl from elsewhere.
PROGRAMS = ("kubelet", "kube-apiserver", "kube-controller-manager", "kubectl")


def home() -> Path:
    """Where the programs are, or will be once built."""
    return cache.root() / f"kubernetes-{VERSION}"


def is_built() -> bool:
    return all((home() / p).exists() for p in PROGRAMS)


def ensure() -> Path:
    """The directory with the programs; compiles them if nobody has yet."""
    if is_built():
        return home()
    missing = [tool for tool in ("go", "rsync", "jq", "make", "dpkg-source") if not shutil.which(tool)]
    if missing:
        raise RuntimeError(f"cannot compile Kubernetes without {', '.join(missing)}: run ./dev deps k8s-build")
    with cache.scratch("kubernetes") as work:
        with GoProgress(f"kubernetes {VERSION}", work / "log") as progress:
            tree = fetch_source(work, progress)
            done = compile_programs(tree, work, progress)
        if not is_built():
            shutil.rmtree(home(), ignore_errors=True)
            done.rename(home())
    return home()


class GoProgress(Progress):
    def notice(self, line: str):
        # `go build -v` prints one import path a line; make's own announcements start with "+++ [time]".
        if re.fullmatch(r"[A-Za-z0-9_.~/-]+\n", line):
            self.count += 1
            self.note = f"{self.count} Go packages compiled"
        elif line.startswith("+++ ["):
            self.enter(line.split("] ", 1)[-1].strip()[:70], say=False)


def fetch_source(work: Path, progress: Progress) -> Path:
    """Downloads and unpacks Debian's source package, with apt settings of our own so that the machine's stay as they are."""
    apt = work / "apt"
    for d in ("sources.list.d", "lists/partial", "cache/archives/partial"):
        (apt / d).mkdir(parents=True)
    write_source_entries(apt / "sources.list.d")
    options = [
        "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={apt / 'sources.list.d'}",
        "-o", f"Dir::State::lists={apt / 'lists'}", "-o", f"Dir::Cache={apt / 'cache'}",
        "-o", "APT::Sandbox::User=root",
    ]
    progress.enter("reading the list of source packages")
    try:
        progress.run(["apt-get", "update", "-q", *options])
    except RuntimeError:
        # A repository without sources fails here; what matters is whether ours is found, and the next step tells.
        pass
    progress.enter("downloading and unpacking the source")
    progress.run(["apt-get", "source", "-q", *options, f"kubernetes={source_version(options)}"], cwd=work)
    return next(p for p in work.glob("kubernetes-*") if p.is_dir())


def write_source_entries(target: Path):
    """The machine's own package repositories, with `deb` turned into `deb-src`."""
    etc = Path("/etc/apt")
    for f in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        if f.suffix == ".sources":
            text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", f.read_text())
        elif f.suffix == ".list" and f.exists():
            text = re.sub(r"(?m)^deb\s", "deb-src ", f.read_text())
        else:
            continue
        (target / f.name).write_text(text)


def source_version(options) -> str:
    out = subprocess.run(["apt-cache", *options, "showsrc", "kubernetes"], capture_output=True, text=True).stdout
    for version in re.findall(r"(?m)^Version: (\S+)", out):
        # Debian once uploaded a newer version and went back, hence names like 1.20.5+really1.20.2-1.1.
        if re.match(rf"(.*really)?{re.escape(VERSION)}[+-]", version):
            return version
    raise RuntimeError(f"no repository of this machine has the source package kubernetes {VERSION}")


def compile_programs(tree: Path, work: Path, progress: Progress) -> Path:
    progress.enter("preparing the build")
    env = {
        "PATH": os.environ["PATH"], "HOME": str(work), "GOCACHE": str(work / "gocache"), "GOPATH": str(work / "gopath"),
        "GO111MODULE": "auto", "LANG": "C.UTF-8",
    }
    what = " ".join(f"cmd/{p}" for p in PROGRAMS)
    # -v only for the progress lines; -s -w leaves out debug tables nobody reads here, a quarter of the size.
    progress.run(
        ["nice", "make", f"WHAT={what}", f"KUBE_GIT_VERSION=v{VERSION}", "GOFLAGS=-v", "GOLDFLAGS=-s -w"], cwd=tree, env=env)
    done = work / "done"
    done.mkdir()
    for p in PROGRAMS:
        shutil.move(tree / "_output" / "bin" / p, done / p)
    return done


if __name__ == "__main__":
    if sys.argv[1:] == ["--is-built"]:
        sys.exit(0 if is_built() else 1)
    print(ensure())
