"""Debian packages of any suite, from the repositories of this machine. Nothing is installed and no setting of apt changes."""

import contextlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

import cache
from progress import Progress

TESTING = "forky"


def repositories(suite: str) -> list[str]:
    """The mirrors that this machine's apt sources name for its own suite, as sources.list lines for another one."""
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages"],
        capture_output=True, text=True, check=True).stdout.split("\n")
    own = re.search(r"(?m)^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text())[1]
    # Only Debian's own suites carry the release's name or one that starts with it.
    found = {m.groups() for t in targets if (m := re.fullmatch(rf"(\S+) {own}(-updates|-security)? main", t))}
    if not found:
        raise RuntimeError(f"this machine's apt sources name no Debian {own} repository to take packages from")
    # A suite in development has neither updates nor security.
    return sorted(f"deb {uri} {suite}{kind or ''} main" for uri, kind in found if not kind or suite != TESTING)


def transport_settings() -> list[str]:
    """How this machine reaches its repositories (proxies, mirrors with old dates)."""
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"(?m)^(Acquire::(?:https?::Proxy|Check-Valid-Until|Retries)[^;]*);$", dump)


class Apt:
    """apt with its own lists and cache, for one suite and one architecture (by default that of this machine)."""

    def __init__(self, suite: str, directory: Path, progress: Progress, arch: str | None = None):
        self.progress = progress
        for d in ("lists/partial", "cache/archives/partial", "empty"):
            (directory / d).mkdir(parents=True)
        (directory / "sources.list").write_text("\n".join(repositories(suite)) + "\n")
        self.nothing_installed = directory / "status"
        self.nothing_installed.touch()
        self.archives = directory / "cache" / "archives"
        self.options = [
            "-o", f"Dir::Etc::sourcelist={directory / 'sources.list'}", "-o", f"Dir::Etc::sourceparts={directory / 'empty'}",
            "-o", f"Dir::State::lists={directory / 'lists'}", "-o", f"Dir::Cache={directory / 'cache'}", "-o", "APT::Sandbox::User=root",
            "-o", 'Acquire::Languages="none"', "-o", "APT::Default-Release=",
            *(["-o", f"APT::Architecture={arch}", "-o", f"APT::Architectures={arch}"] if arch else []),
        ]
        progress.enter(f"reading the list of Debian {suite}'s packages")
        progress.run(["apt-get", "update", "-q", *self.options])

    def has(self, package: str) -> bool:
        return subprocess.run(["apt-cache", *self.options, "show", package], capture_output=True).returncode == 0

    def depends(self, package: str) -> str:
        return subprocess.run(["apt-cache", *self.options, "depends", "--important", package], capture_output=True, text=True, check=True).stdout

    def with_dependencies(self, *packages: str) -> list[str]:
        """The packages and all their dependencies, for an empty machine."""
        argv = ["apt-get", *self.options, "-o", f"Dir::State::status={self.nothing_installed}", "--no-install-recommends", "--print-uris", "-qq", "-y"]
        told = subprocess.run([*argv, "install", *packages], capture_output=True, text=True, check=True).stdout
        return [*packages, *(name for name in re.findall(r"(?m)^'\S+' ([^_\s]+)_", told) if name not in packages)]

    def download(self, *packages: str) -> list[Path]:
        self.progress.enter(f"downloading {', '.join(packages[:4])}" + (f" and {len(packages) - 4} more" if len(packages) > 4 else ""))
        self.progress.run(["apt-get", "download", "-q", *self.options, *packages], cwd=self.archives)
        return sorted(self.archives.glob("*.deb"))


@contextlib.contextmanager
def packages(suite: str, progress: Progress, arch: str | None = None):
    with tempfile.TemporaryDirectory(prefix="apt-", dir=cache.root()) as directory:
        yield Apt(suite, Path(directory), progress, arch)


def make_links_relative(tree: Path):
    """Links of packages to absolute paths, so that they lead to the tree and not to this machine."""
    for link in (p for p in tree.rglob("*") if p.is_symlink() and p.readlink().is_absolute()):
        target = os.path.relpath(tree / str(link.readlink()).lstrip("/"), link.parent)
        link.unlink()
        link.symlink_to(target)


def record(deb: Path, tree: Path):
    """Records in the tree's dpkg database that the package is in the tree."""
    database = tree / "var/lib/dpkg"
    (database / "info").mkdir(parents=True, exist_ok=True)
    control = subprocess.run(["dpkg-deb", "--field", deb], capture_output=True, text=True, check=True).stdout
    names = subprocess.run(f'dpkg-deb --fsys-tarfile "{deb}" | tar -t', shell=True, capture_output=True, text=True, check=True).stdout
    field = dict(re.findall(r"(?m)^(Package|Architecture|Multi-Arch): (.+)$", control))
    qualified = field["Package"] + (f":{field['Architecture']}" if field.get("Multi-Arch") == "same" else "")
    paths = (name.removeprefix(".").rstrip("/") or "/." for name in names.splitlines())
    (database / "info" / f"{qualified}.list").write_text("".join(f"{path}\n" for path in paths))
    with open(database / "status", "a") as status:
        status.write(control.replace("\n", "\nStatus: install ok installed\n", 1) + "\n")
    # Multi-Arch packages need the format that names the architecture.
    (database / "info/format").write_text("1\n")


def unpacked(name: str, suite: str, choose, finish=lambda tree: None, arch: str | None = None) -> Path:
    """A tree in the cache with the contents of the packages that choose(apt) returns, after finish(tree)."""
    final = cache.root() / name
    if final.exists():
        return final
    with cache.scratch(name) as work, Progress(name, work / "log") as progress, packages(suite, progress, arch) as apt:
        for deb in apt.download(*choose(apt)):
            progress.run(["dpkg-deb", "--extract", deb, work / "tree"])
            record(deb, work / "tree")
        make_links_relative(work / "tree")
        finish(work / "tree")
        if not final.exists():
            (work / "tree").rename(final)
    return final
