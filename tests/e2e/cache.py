"""The cache for things that take long to make: $SUNUP_CACHE. Each is made in a temporary directory and appears complete, by rename."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def root() -> Path:
    default = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sunup"
    return Path(os.environ.get("SUNUP_CACHE", default))


@contextlib.contextmanager
def scratch(name: str):
    """A temporary directory beside the finished entries, removed at the end. Directories of killed builds are removed, too."""
    root().mkdir(parents=True, exist_ok=True)
    for stale in root().glob("building-*"):
        with contextlib.suppress(OSError), lock(stale):
            remove(stale)
    work = Path(tempfile.mkdtemp(prefix=f"building-{name}-", dir=root()))
    with lock(work):
        try:
            yield work
        finally:
            remove(work)


@contextlib.contextmanager
def turn(name: str, meanwhile: Callable[[], None]):
    """Waits while another process makes the same entry, and calls meanwhile() every five seconds."""
    root().mkdir(parents=True, exist_ok=True)
    with open(root() / f"{name}.lock", "w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                meanwhile()
                time.sleep(5)
        yield


def remove_older(pattern: str, current: Path):
    """The results of earlier recipes that were not used within the last day."""
    for old in root().glob(pattern):
        if old != current and time.time() - old.stat().st_mtime > 86400:
            shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def lock(directory: Path):
    """Raises OSError if another process holds it. Not inherited by children, so it ends with this process."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(fd)


def remove(directory: Path):
    """Only within the same file system: a killed build may have left /proc mounted in there."""
    with open("/proc/self/mounts") as mounts:
        inside = [line.split()[1] for line in mounts if line.split()[1].startswith(f"{directory}/")]
    for mount in reversed(inside):
        subprocess.run(["umount", "--lazy", mount], check=False)
    # Go makes its module cache read-only, so rmtree would fail for an ordinary user.
    subprocess.run(["chmod", "-R", "u+w", directory], check=False, stderr=subprocess.DEVNULL)
    shutil.rmtree(directory, ignore_errors=True)
