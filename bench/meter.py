"""The cost of work on a node, as running totals measured from outside: CPU time, bytes written, tasks created.

Nothing of this runs on the node except one sleeping shell that returns a number on request.
"""

import contextlib
import os
import subprocess
import threading
from pathlib import Path


class Meter:
    """Running totals of one node."""

    def __init__(self, node):
        self.node = node
        # The older cgroup interface if the machine has it, otherwise the unified one.
        self._cpu = next(c / name for name in ("cpuacct.usage", "cpu.stat") for c in node.cgroups if (c / name).exists())
        # /proc/loadavg ends with the last process ID that was assigned, in the namespace of the reader.
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
        """Bytes written to disk by all processes of the node so far. The kernel adds those of an ended process to the process that waited
        for it."""
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
