"""Waits for a file to appear or disappear with inotify instead of polling."""

import contextlib
import ctypes
import os
import select
import struct
import time
from pathlib import Path

IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE, IN_DELETE_SELF = 0x40, 0x80, 0x100, 0x200, 0x400
_libc = ctypes.CDLL(None, use_errno=True)


def wait_for_path(path: Path, timeout: float):
    """Returns once path exists; raises TimeoutError. Follows directories that appear on the way."""
    deadline = time.monotonic() + timeout
    with _inotify() as fd:
        while True:
            directory = deepest_directory(path)
            _libc.inotify_add_watch(fd, os.fsencode(directory), IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF)
            # Checked only after the watch is set, so that no change is missed.
            if os.path.lexists(path):  # a link on a node leads nowhere on this machine
                return
            if deepest_directory(path) == directory:
                _next_event(fd, deadline, f"{path} did not appear within {timeout:.0f} s")


def wait_until_gone(path: Path, timeout: float):
    """Returns once path does not exist; raises TimeoutError."""
    deadline = time.monotonic() + timeout
    with _inotify() as fd:
        _libc.inotify_add_watch(fd, os.fsencode(path.parent), IN_DELETE | IN_MOVED_FROM)
        while os.path.lexists(path):
            _next_event(fd, deadline, f"{path} is still there after {timeout:.0f} s")


class Arrivals:
    """The files that are moved into a directory from now on, including those that are removed at once."""

    def __init__(self, directory: Path):
        self._fd = _open()
        self._names: list[str] = []
        _libc.inotify_add_watch(self._fd, os.fsencode(directory), IN_MOVED_TO)

    def names(self) -> list[str]:
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._fd, 65536):
                while data:
                    length = struct.unpack_from("iIII", data)[3]
                    self._names.append(data[16:16 + length].rstrip(b"\0").decode())
                    data = data[16 + length:]
        return list(self._names)


def _open() -> int:
    fd = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1")
    return fd


@contextlib.contextmanager
def _inotify():
    fd = _open()
    try:
        yield fd
    finally:
        os.close(fd)


def _next_event(fd: int, deadline: float, otherwise: str):
    left = deadline - time.monotonic()
    if left <= 0 or not select.select([fd], [], [], left)[0]:
        raise TimeoutError(otherwise)
    os.read(fd, 65536)


def deepest_directory(path: Path) -> Path:
    return next(p for p in path.parents if p.is_dir())
