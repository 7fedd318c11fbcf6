#!/usr/bin/env python3
"""Kubernetes, CoreDNS, Helm, and the definitions of Karpenter and of the Prometheus operator, for the tests: from the Go module registry, once, into $SUNUP_CACHE.

A folder below go/ pins what is compiled: its go.mod and go.sum name every module and its checksum. Run this by hand to fill
the cache: tests/e2e/k8s.py [ROW|PROGRAM...]
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cache
import debian
import parts
from progress import Progress

GO = Path(__file__).resolve().parent / "go"
# The sources of a program, in any folder. "." is the folder's own main.go.
PACKAGES = {"kubelet": "k8s.io/kubernetes/cmd/kubelet", "control-plane": ".", "coredns": ".", "helm": "helm.sh/helm/v4/cmd/helm", "karpenter-crds": ".",
            "karpenter-client": "."}
# Files of a module that are needed as they are.
FILES = {"servicemonitor-crd": ("github.com/prometheus-operator/prometheus-operator", "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml")}
# Programs and files that only some tests need, each in a folder of its name.
EXTRA = ("coredns", "helm", "karpenter-client", "karpenter-crds", *FILES)
# With more memory the compiler spends an eighth less time, on collecting garbage. (The linker would need too much memory.)
RARELY_COLLECTING = {"GOGC": "400"}
# The names of the control-plane program.
CONTROL_PLANE = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")


def home(folder: str) -> Path:
    """The directory of a folder's programs, whether or not they are compiled yet."""
    digest = hashlib.sha256()
    for f in sorted((GO / folder).iterdir()):
        digest.update(f"{f.name}\n".encode() + f.read_bytes())
    return cache.root() / f"{folder}-{digest.hexdigest()[:12]}"


def kubelet(row: parts.Parts) -> Path:
    return home(row.kubernetes) / "kubelet"


def control_plane() -> Path:
    """One program; its directory also has it as kube-apiserver, kube-controller-manager, kube-scheduler and kubectl."""
    return home(parts.CONTROL_PLANE) / "control-plane"


def extra(program: str) -> Path:
    return home(program) / program


def etcd() -> Path:
    return debian.unpacked("etcd-trixie", "trixie", lambda _: ["etcd-server"]) / "usr" / "bin" / "etcd"


def ensure(*programs: Path):
    """Compiles those of these programs that are not in the cache yet, or waits while another process does."""
    if all(program.exists() for program in programs):
        return
    shared = cache.root() / "kubernetes.progress"
    with cache.turn("kubernetes", lambda: print(shared.read_text() if shared.exists() else "Kubernetes is being compiled", file=sys.stderr, flush=True)):
        compile_missing(programs, shared)


def compile_missing(programs, shared: Path):
    shared.unlink(missing_ok=True)
    missing: dict[str, list[str]] = {}
    for program in dict.fromkeys(programs):
        if not program.exists():
            folder = next(f.name for f in GO.iterdir() if home(f.name) == program.parent)
            missing.setdefault(folder, []).append(program.name)
    if not missing:
        return
    go = toolchain(missing)
    # One scratch directory for all, so that common packages are compiled once.
    with cache.scratch("go") as work, GoProgress("Kubernetes", work / "log", shared=shared) as progress, ThreadPoolExecutor() as threads:
        build = Build(go, work, progress)

        # All programs need the standard library. It is compiled while the modules are downloaded.
        progress.enter("downloading modules")
        standard_library = threads.submit(build.standard_library if missing.keys() - FILES.keys() else lambda: None)
        downloads = {folder: threads.submit(build.download, folder, names) for folder, names in missing.items()}
        standard_library.result()
        # One folder after the other: side by side, each would compile the packages that they have in common. The smallest is first, while the
        # others are downloaded. Linking, which takes one core, goes on beside the next folder's packages.
        links = []
        for folder, names in sorted(missing.items()):
            downloads[folder].result()
            progress.enter(f"compiling {' and '.join(names)} of {folder}")
            build.compile(folder, names)
            links.append(threads.submit(build.link, folder, names))
        progress.enter("linking")
        for link in links:
            link.result()


def keep(made: Path, final: Path):
    final.parent.mkdir(exist_ok=True)
    for name in CONTROL_PLANE if final.name == "control-plane" else ():
        (final.parent / name).unlink(missing_ok=True)
        (final.parent / name).symlink_to(final.name)
    made.rename(final)


class GoProgress(Progress):
    def notice(self, line: str):
        # `go build -v` prints one import path per line.
        if re.fullmatch(r"[A-Za-z0-9_.~/-]+\n", line):
            self.count += 1
            self.note = f"{self.count} Go packages compiled"
        elif found := re.fullmatch(r"go: downloading (\S+) \S+\n", line):
            self.note = f"downloading {found[1]}"


def toolchain(folders) -> str:
    """A Go version that is new enough: that of the machine, or that of Debian testing, unpacked into the cache."""
    wanted = max(numbers(re.search(r"(?m)^go (\S+)", (GO / f / "go.mod").read_text())[1]) for f in folders)
    if (own := shutil.which("go")) and (found := re.search(r"go([\d.]+)", said(own, "version"))) and numbers(found[1]) >= wanted:
        return own
    wanted = wanted[:2]

    def choose(apt: debian.Apt) -> list[str]:
        version = "{}.{}".format(*wanted)
        if not apt.has(f"golang-{version}-go"):
            version = re.search(r"Depends: golang-([\d.]+)-go", apt.depends("golang-go"))[1]
        return [f"golang-{version}-go", f"golang-{version}-src"]

    tree = debian.unpacked("go-{}.{}".format(*wanted), debian.TESTING, choose)
    return str(next((tree / "usr/lib").glob("go-*")) / "bin" / "go")


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def said(*argv: str) -> str:
    # local: checks which version is installed, not which could be downloaded.
    return subprocess.run(argv, capture_output=True, text=True, env={**os.environ, "GOTOOLCHAIN": "local"}, cwd="/").stdout


class Build:
    def __init__(self, go: str, work: Path, progress: Progress):
        self.go, self.work, self.progress = go, work, progress
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("GO") or k in ("GOPROXY", "GONOPROXY", "GOPRIVATE", "GOINSECURE")},
            "HOME": str(work), "GOCACHE": str(work / "gocache"), "GOMODCACHE": str(work / "modules"), "GOTOOLCHAIN": "local", "CGO_ENABLED": "0",
            # No debug tables, in the packages as in the programs.
            "GOFLAGS": "-mod=readonly -trimpath -buildvcs=false -gcflags=all=-dwarf=false",
        }

    def run(self, *words, folder: str, **env: str):
        self.progress.run(["nice", self.go, *words], cwd=GO / folder, env={**self.env, **env})

    def standard_library(self):
        self.run("build", "std", folder=next(GO.iterdir()).name, **RARELY_COLLECTING)

    def download(self, folder: str, programs: list[str]):
        if folder in FILES:
            return self.run("mod", "download", FILES[folder][0], folder=folder)
        self.run("list", "-deps", "-f", "{{/* prints nothing */}}", *(PACKAGES[name] for name in programs), folder=folder)

    def compile(self, folder: str, programs: list[str]):
        """Compiles the packages into Go's cache. `go list -export` does what `go build` does before it links."""
        if folder in FILES:
            return
        packages = [PACKAGES[name] for name in programs]
        self.run("list", "-export", "-deps", "-v", "-f", "{{/* prints nothing */}}", *packages, folder=folder, **RARELY_COLLECTING)

    def link(self, folder: str, programs: list[str]):
        if folder in FILES:
            module, path = FILES[folder]
            where = subprocess.run([self.go, "list", "-m", "-f", "{{.Dir}}", module], cwd=GO / folder, env=self.env, check=True, capture_output=True, text=True)
            shutil.copy(Path(where.stdout.strip(), path), self.work / folder)
            keep(self.work / folder, home(folder) / folder)
            return cache.remove_older(f"{folder}-*", home(folder))
        flags = "-s -w"
        if folder.startswith("kubernetes"):
            flags += "".join(f" -X {package}.gitVersion=v{parts.version(folder)}" for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"))
        made = self.work / folder
        made.mkdir()
        self.run("build", f"-ldflags={flags}", f"-o={made}/", *(PACKAGES[name] for name in programs), folder=folder)
        for name in programs:
            # go names the program of a folder's own main.go after its module.
            keep(made / (folder.split("-")[0] if PACKAGES[name] == "." else name), home(folder) / name)
        cache.remove_older(f"{folder}-*", home(folder))


if __name__ == "__main__":
    names = sys.argv[1:] or [*parts.ROWS, *EXTRA]
    rows = [parts.ROWS[name] for name in names if name not in EXTRA]
    wanted = [*([control_plane()] if rows else []), *map(kubelet, rows), *(extra(name) for name in names if name in EXTRA)]
    ensure(*wanted)
    print(*dict.fromkeys(wanted), sep="\n")
