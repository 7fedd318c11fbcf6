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

    def writers(self) -> dict[str, int]:
        """Bytes written to disk so far, by the names of the processes of the node: pages that they made dirty. The kernel adds those of an
        ended process to the process that waited for it. A page that is written to disk in between counts again when it is changed again."""
        total: dict[str, int] = {}
        for process in self._processes():
            with contextlib.suppress(OSError):
                io = _fields(process / "io")
                name = (process / "comm").read_text().strip()
                total[name] = total.get(name, 0) + int(io["write_bytes"]) - int(io["cancelled_write_bytes"])
        return total

    def program(self, name: str) -> dict | None:
        """Of the running processes of a program: pages that came from the disk when they were needed, and the bytes of files in memory."""
        found = None
        for process in self._processes():
            with contextlib.suppress(OSError):
                # The kernel keeps 15 characters of a name.
                if (process / "comm").read_text().strip() != name[:15]:
                    continue
                faults = int((process / "stat").read_text().rpartition(")")[2].split()[9])
                resident = int(_fields(process / "status")["RssFile"].split()[0]) * 1024
                found = {"faults": faults + (found or {}).get("faults", 0), "resident": max(resident, (found or {}).get("resident", 0))}
        return found

    def _processes(self):
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(process / "ns/pid") == self._namespace:
                    yield process

    def sample(self) -> dict:
        writers = self.writers()
        return {"cpu": self.cpu_seconds(), "tasks": self.tasks_created(), "bytes": sum(writers.values()), "writers": writers}

    def close(self):
        self._counter.stdin.close()
        self._counter.wait()


def _fields(file: Path) -> dict[str, str]:
    return {name: value.strip() for name, _, value in (line.partition(":") for line in file.read_text().splitlines())}
