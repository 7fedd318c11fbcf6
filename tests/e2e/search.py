"""Searches for texts in files and command lines. It runs where the node's processes are visible: on this machine, or inside a virtual one."""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

LARGEST = 4 << 20


@dataclass
class Found:
    files: list[tuple[str, str, int]] = field(default_factory=list)  # (path on the node, which text, mode)
    commands: list[tuple[str, str]] = field(default_factory=list)  # (command line, which text)


def files(root: Path, texts: dict[str, bytes], since: float = 0) -> list[tuple[str, str, int]]:
    """Regular files of one file system that contain one of the texts and changed after this time (seconds since the epoch)."""
    found = []
    device = root.stat().st_dev
    for directory, below, names in os.walk(root):
        below[:] = [d for d in below if _on(device, Path(directory, d))]
        for name in names:
            file = Path(directory, name)
            try:
                status = file.lstat()
                if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST or status.st_ctime < since:
                    continue
                text = file.read_bytes()
            except FileNotFoundError:
                continue  # the node continues to run during the search
            where = "/" + str(file.relative_to(root))
            found += [(where, what, status.st_mode) for what, wanted in texts.items() if wanted in text]
    return found


def _on(device: int, directory: Path) -> bool:
    try:
        return directory.lstat().st_dev == device
    except FileNotFoundError:
        return False


def commands(texts: dict[str, bytes], namespace: str = "") -> list[tuple[str, str]]:
    """Processes (of this PID namespace) whose command line contains one of the texts."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if not namespace or os.readlink(process / "ns/pid") == namespace:
                line = (process / "cmdline").read_bytes()
                found += [(repr(line[:60]), what) for what, wanted in texts.items() if wanted in line]
        except OSError:
            continue  # it has ended meanwhile
    return found
