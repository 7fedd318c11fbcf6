"""The kernel of the nodes in virtual machines: Debian's for clouds, with its modules and a small initrd, kept in the cache."""

import hashlib
import io
import lzma
import re
import shutil
import stat
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import cache
import debian
import images

INIT = Path(__file__).resolve().parent / "guest" / "init"
# The modules for the root file system, for the first units, and for reporting a panic to QEMU; some kernels have some of them built in.
EARLY = ("virtio_pci", "virtio_blk", "ext4", "virtio_console", "pvpanic-pci")


@dataclass(frozen=True)
class Kernel:
    layer: Path  # for a node's overlay: /usr/lib/modules
    image: Path
    initrd: Path


def ensure(suite: str) -> Kernel:
    digest = hashlib.sha256(INIT.read_bytes() + Path(__file__).read_bytes()).hexdigest()[:12]
    layer = debian.unpacked(f"kernel-{suite}-{digest}", suite, _packages, _finish)
    for old in cache.root().glob(f"kernel-{suite}-*"):
        # Another version of this program may be running.
        if old != layer and time.time() - old.stat().st_mtime > 86400:
            shutil.rmtree(old, ignore_errors=True)
    return Kernel(layer, next((layer / "boot").glob("vmlinuz-*")), layer / "boot" / "initrd.img")


def _packages(apt: debian.Apt) -> list[str]:
    """The package of the newest kernel, to which the requested package only refers."""
    return re.findall(r"Depends: (linux-(?:image|modules)-\d\S+)", apt.depends("linux-image-cloud-amd64"))


def _finish(tree: Path):
    # /lib is a link to /usr/lib on a node; a directory of this name in a layer would hide it.
    if (tree / "lib").exists():
        shutil.copytree(tree / "lib", tree / "usr/lib", dirs_exist_ok=True, symlinks=True)
        shutil.rmtree(tree / "lib")
    # The same applies to the database of the node's packages.
    shutil.rmtree(tree / "var/lib/dpkg")
    modules = next((tree / "usr/lib/modules").iterdir())
    # depmod looks below /lib.
    (tree / "lib").symlink_to("usr/lib")
    subprocess.run(["depmod", "--basedir", tree, modules.name], check=True)
    (tree / "lib").unlink()
    (tree / "boot/initrd.img").write_bytes(initrd(modules))


def initrd(modules: Path) -> bytes:
    files = {"init": INIT.read_bytes(), "bin/busybox": (images.ensure() / "usr/bin/busybox").read_bytes()}
    for number, module in enumerate(load_order(modules, EARLY)):
        data = (modules / module).read_bytes()
        name = Path(module).name
        files[f"modules/{number:02d}-{name.removesuffix('.xz')}"] = lzma.decompress(data) if name.endswith(".xz") else data
    return archive(files, ("bin", "dev", "modules", "proc", "root", "sys"))


def load_order(modules: Path, names: tuple[str, ...]) -> list[str]:
    """The files of these modules and of those they need, each after those it needs."""
    needs = {}
    for line in (modules / "modules.dep").read_text().splitlines():
        file, _, needed = line.partition(":")
        needs[file] = needed.split()
    found: list[str] = []

    def add(file: str):
        for needed in needs[file]:
            add(needed)
        if file not in found:
            found.append(file)

    for name in names:
        for file in needs:
            if Path(file).name.split(".")[0] == name:
                add(file)
    return found


def archive(files: dict[str, bytes], directories: tuple[str, ...]) -> bytes:
    """A cpio archive of the kind that the kernel unpacks ("newc"). Everything in it is executable."""
    out = io.BytesIO()

    def entry(number: int, name: str, mode: int, data: bytes = b""):
        encoded = name.encode() + b"\0"
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
        for part in (b"070701" + b"".join(b"%08x" % f for f in fields) + encoded, data):
            out.write(part + b"\0" * (-(out.tell() + len(part)) % 4))

    contents = [(d, stat.S_IFDIR | 0o755, b"") for d in directories] + [(f, stat.S_IFREG | 0o755, data) for f, data in files.items()]
    for number, (name, mode, data) in enumerate(contents, 1):
        entry(number, name, mode, data)
    entry(0, "TRAILER!!!", 0)
    return out.getvalue()
