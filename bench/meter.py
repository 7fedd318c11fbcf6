"""What happens on a node and what it costs, seen from outside: programs as they start, CPU time, bytes written, tasks created.

Nothing of this runs on the node except one sleeping shell that is asked for a number.
"""

import contextlib
import ctypes
import os
import queue
import select
import struct
import subprocess
import threading
import time
from pathlib import Path

FAN_CLOEXEC, FAN_NONBLOCK, FAN_UNLIMITED_QUEUE = 0x1, 0x2, 0x10
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
        """Will hold the time at which a program of this file name (as a prefix) starts next."""
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
                if script or "/ld-linux" in path:
                    continue
                self.seen.append((now, path))
                with self._lock:
                    for entry in [w for w in self._waiting if os.path.basename(path).startswith(w[0])]:
                        self._waiting.remove(entry)
                        entry[1].put(now)


class Meter:
    """Running totals of one node."""

    def __init__(self, node):
        self.node = node
        # The older cgroup interface where the machine has it, else the unified one.
        self._cpu = next(c / name for name in ("cpuacct.usage", "cpu.stat") for c in node.cgroups if (c / name).exists())
        # /proc/loadavg ends with the last process number given out, counted in the namespace of who reads it.
        self._counter = subprocess.Popen(
            ["nsenter", f"--target={node.leader}", "--pid", "--", "sh", "-c", 'while read -r _; do read -r l </proc/loadavg; echo "$l"; done'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._namespace = os.readlink(f"/proc/{node.leader}/ns/pid")
        self._lock = threading.Lock()

    def cpu_seconds(self) -> float:
        text = self._cpu.read_text()
        return int(text) / 1e9 if self._cpu.name == "cpuacct.usage" else int(text.split()[1]) / 1e6

    def tasks_created(self) -> int:
        with self._lock:
            self._counter.stdin.write("\n")
            return int(self._counter.stdout.readline().split()[-1])

    def bytes_written(self) -> int:
        """To disk, by everybody on the node so far. The kernel adds what an ended process wrote to whoever waited for it."""
        total = 0
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(process / "ns/pid") != self._namespace:
                    continue
                io = dict(line.split(": ") for line in (process / "io").read_text().splitlines())
                total += int(io["write_bytes"]) - int(io["cancelled_write_bytes"])
        return total

    def sample(self) -> dict:
        return {"cpu": self.cpu_seconds(), "tasks": self.tasks_created(), "bytes": self.bytes_written()}

    def close(self):
        self._counter.stdin.close()
        self._counter.wait()
