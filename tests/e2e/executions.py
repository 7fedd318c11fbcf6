"""Programs as they start on a node, told by the kernel: nothing on the node has to be changed or asked for it."""

import ctypes
import os
import queue
import select
import struct
import threading
import time
from pathlib import Path

FAN_CLOEXEC, FAN_UNLIMITED_QUEUE = 0x1, 0x10
FAN_MARK_ADD, FAN_MARK_FILESYSTEM = 0x1, 0x100
FAN_OPEN_EXEC = 0x1000
EVENT = struct.Struct("=IBBHQii")  # fanotify_event_metadata
_libc = ctypes.CDLL(None, use_errno=True)


class Executions:
    """Every program that starts from the node's disk: (time.monotonic, path). The kernel reports them (fanotify)."""

    def __init__(self, root: Path):
        self.seen: list[tuple[float, str]] = []
        self._waiting: list[tuple[str, queue.SimpleQueue]] = []
        self._lock = threading.Lock()
        self._fd = _libc.fanotify_init(FAN_CLOEXEC | FAN_UNLIMITED_QUEUE, os.O_RDONLY | os.O_CLOEXEC)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), "fanotify_init")
        if _libc.fanotify_mark(self._fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, ctypes.c_uint64(FAN_OPEN_EXEC), -1, os.fsencode(root)) != 0:
            raise OSError(ctypes.get_errno(), f"fanotify_mark {root}")
        self._stop = os.eventfd(0)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def first(self, name: str) -> queue.SimpleQueue:
        """Will hold the time at which a program or script of this file name (as a prefix) starts next."""
        box: queue.SimpleQueue = queue.SimpleQueue()
        with self._lock:
            self._waiting.append((name, box))
        return box

    def between(self, begin: float, end: float) -> list[str]:
        return [path for when, path in list(self.seen) if begin <= when <= end]

    def close(self):
        os.write(self._stop, b"\1" * 8)
        self._reader.join()
        os.close(self._fd)
        os.close(self._stop)

    def _read(self):
        while True:
            if self._stop in select.select([self._fd, self._stop], [], [])[0]:
                return
            data = os.read(self._fd, 65536)
            now, at = time.monotonic(), 0
            while at < len(data):
                size, _, _, _, _, fd, _ = EVENT.unpack_from(data, at)
                at += size
                if fd < 0:
                    continue
                path = os.readlink(f"/proc/self/fd/{fd}")
                script = os.pread(fd, 2, 0) == b"#!"
                os.close(fd)
                # One start opens a program and its loader, or a script and its interpreter: count the program.
                if not script and "/ld-linux" not in path:
                    self.seen.append((now, path))
                with self._lock:
                    for entry in [w for w in self._waiting if os.path.basename(path).startswith(w[0])]:
                        self._waiting.remove(entry)
                        entry[1].put(now)
