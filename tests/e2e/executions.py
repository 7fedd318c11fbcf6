"""Programs that start on a node, as reported by the kernel: the node does not have to be changed or queried for this."""

import ctypes
import os
import queue
import random
import select
import struct
import threading
import time
from pathlib import Path

FAN_CLOEXEC, FAN_CLASS_CONTENT, FAN_UNLIMITED_QUEUE = 0x1, 0x4, 0x10
FAN_MARK_ADD, FAN_MARK_FILESYSTEM = 0x1, 0x100
FAN_OPEN_EXEC, FAN_OPEN_EXEC_PERM = 0x1000, 0x40000
FAN_ALLOW = 1
EVENT = struct.Struct("=IBBHQii")  # fanotify_event_metadata
RESPONSE = struct.Struct("=iI")  # fanotify_response
_libc = ctypes.CDLL(None, use_errno=True)


class Programs:
    """Every program that starts from the node's disk, as reported through saw()."""

    def __init__(self):
        self.seen: list[tuple[float, str]] = []  # (time.monotonic, path)
        self.parent: dict[int, int] = {}  # pid -> its parent, of every process that started a program, with `families`
        self.started: list[tuple[int, str]] = []  # (pid, path), as seen
        self._waiting: list[tuple[str, queue.SimpleQueue]] = []
        self._lock = threading.Lock()

    def first(self, name: str) -> queue.SimpleQueue:
        """Will contain the next start time of a program or script with this file name (as a prefix)."""
        box: queue.SimpleQueue = queue.SimpleQueue()
        with self._lock:
            self._waiting.append((name, box))
        return box

    def between(self, begin: float, end: float) -> list[str]:
        return [path for when, path in list(self.seen) if begin <= when <= end]

    def before(self, name: str) -> list[tuple[int, str]]:
        """(pid, path) of the programs that started before the first of this file name."""
        paths = [os.path.basename(path) for _, path in self.started]
        return self.started[:paths.index(name)]

    def descends(self, pid: int, ancestor: int) -> bool:
        while pid not in (0, ancestor):
            pid = self.parent.get(pid, 0)
        return pid == ancestor

    def saw(self, pid: int, parent: int, path: str, script: bool):
        now = time.monotonic()
        if parent:
            self.parent[pid] = parent
        # One start opens a program and its loader, or a script and its interpreter: count the program.
        if not script and "/ld-linux" not in path:
            self.seen.append((now, path))
            self.started.append((pid, path))
        with self._lock:
            for entry in [w for w in self._waiting if os.path.basename(path).startswith(w[0])]:
                self._waiting.remove(entry)
                entry[1].put(now)

    def close(self):
        pass


class Executions(Programs):
    """Told by this machine's kernel (fanotify), for the file system that root is on.

    With `families` it holds each program back until we have seen whose child it is, however short its life will be."""

    def __init__(self, root: Path, families: bool = False):
        super().__init__()
        self._families = families
        self._fd = _libc.fanotify_init(FAN_CLOEXEC | FAN_UNLIMITED_QUEUE | (FAN_CLASS_CONTENT if families else 0), os.O_RDONLY | os.O_CLOEXEC)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), "fanotify_init")
        events = ctypes.c_uint64(FAN_OPEN_EXEC_PERM if families else FAN_OPEN_EXEC)
        if _libc.fanotify_mark(self._fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, events, -1, os.fsencode(root)) != 0:
            raise OSError(ctypes.get_errno(), f"fanotify_mark {root}")
        self._stop = os.eventfd(0)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

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
            at = 0
            while at < len(data):
                size, _, _, _, _, fd, pid = EVENT.unpack_from(data, at)
                at += size
                if fd < 0:
                    continue
                path = os.readlink(f"/proc/self/fd/{fd}")
                script = os.pread(fd, 2, 0) == b"#!"
                parent = 0
                if self._families:
                    parent = parent_of(pid)
                    os.write(self._fd, RESPONSE.pack(fd, FAN_ALLOW))
                os.close(fd)
                self.saw(pid, parent, path, script)


def parent_of(pid: int) -> int:
    # "pid (name) state parent ...", and the name may contain any characters.
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def boot_into_provision(t, longest: float) -> str:
    """Boots the node and comes back at a random moment of its provision, at most so many seconds (of a container) after the controller's
    start. Says which."""
    seed = random.randrange(1 << 32)
    moment = random.Random(seed).uniform(0, longest * t.node.slowness)
    programs = t.node.executions()
    try:
        controller = programs.first("aks-node-controller")
        t.boot()
        controller.get(timeout=t.case.timeout)
        time.sleep(moment)
    finally:
        programs.close()
    return f"{moment:.3f} s after the controller's start (seed {seed})"
