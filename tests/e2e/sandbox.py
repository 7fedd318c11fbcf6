"""Keeps a test run's traces off the machine.

The runner starts itself again in a mount and a PID namespace of its own. Whatever it mounts, whatever network namespace it
names and whatever process it leaves behind ends with it, even if it is killed. The process outside stays to put back what
namespaces do not cover: kernel settings of the whole machine, swap files and cgroup folders.
"""

import contextlib
import ctypes
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import cache

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

RUN_DIR = "SUNUP_E2E_RUN_DIR"
PREFIX = "sunup-e2e-"
# Not /tmp: that may be a tmpfs, and overlayfs layers and container images need a disk.
PLACE = Path("/var/tmp")

# Kernel settings that a node may change although they apply to the whole machine. (net.* belongs to the namespace.)
SHARED_SETTINGS = (
    "/proc/sys/vm/*", "/proc/sys/kernel/panic*", "/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/keys/*", "/proc/sys/kernel/printk*", "/proc/sys/kernel/dmesg_restrict", "/proc/sys/kernel/core_*",
    "/proc/sys/kernel/sysrq", "/proc/sys/fs/file-max", "/proc/sys/fs/nr_open", "/proc/sys/fs/aio-max-nr",
    "/proc/sys/fs/inotify/*", "/proc/sys/fs/protected_*", "/proc/sys/fs/suid_dumpable",
    "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/mm/transparent_hugepage/defrag",
)
# Of all nodes together: the usual limit of 128 is used up by six booted nodes.
INOTIFY_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances"), 8192
# Writing these triggers an action instead of setting a value.
ACTIONS = {"/proc/sys/vm/drop_caches", "/proc/sys/vm/compact_memory", "/proc/sys/vm/stat_refresh"}


def inside() -> bool:
    return RUN_DIR in os.environ


def run_dir() -> Path:
    return Path(os.environ[RUN_DIR])


def run_inside(argv: list[str], keep: bool) -> int:
    """Runs argv in the namespaces; returns its exit code once everything is restored."""
    sweep()
    directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=PLACE))
    # Everything must be restored even if this process is terminated, so SIGTERM becomes an exception. Ctrl-C also reaches the child.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    on_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    # If the process in between is killed, the last process of the namespaces becomes a child of this one: only then can it be waited for.
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    with cache.lock(directory):
        (directory / "before.json").write_text(json.dumps({
            "settings": settings_before_any_run(), "cgroups": [str(parent / directory.name) for parent in cgroup_parents()]}))
        child = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", *argv],
            env={**os.environ, RUN_DIR: str(directory)},
            # If this process is killed, so is everything inside. (The next run then restores the settings.)
            preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
        try:
            return child.wait()
        finally:
            child.kill()
            child.wait()
            with contextlib.suppress(ChildProcessError):
                while True:
                    os.wait()
            put_back(directory, keep)
            signal.signal(signal.SIGINT, on_interrupt)


def put_back(directory: Path, keep: bool):
    drop_swap(directory)
    before = json.loads((directory / "before.json").read_text())
    # The nodes of another run depend on the changed settings; it has the old ones and restores them when it ends.
    if not other_runs(directory):
        write_settings(before["settings"])
    for folder in before["cgroups"]:
        remove_cgroup_tree(Path(folder))
    if keep:
        (directory / "kept").touch()
        print(f"kept: {directory} (disks and logs of the nodes; rm -r {directory} removes them)", file=sys.stderr)
    else:
        shutil.rmtree(directory, ignore_errors=True)


def sweep():
    """Restores what a killed run could not: a run holds a lock on its directory while it is running."""
    for directory in PLACE.glob(PREFIX + "*"):
        if (directory / "kept").exists():
            continue
        with contextlib.suppress(OSError), cache.lock(directory):
            put_back(directory, keep=False)


def other_runs(but: Path | None = None) -> list[Path]:
    """Directories of concurrent runs: those whose lock is held."""
    found = []
    for directory in PLACE.glob(PREFIX + "*"):
        if directory == but or not (directory / "before.json").exists():
            continue
        try:
            with cache.lock(directory):
                pass
        except OSError:
            found.append(directory)
    return found


def settings_before_any_run() -> dict[str, str]:
    """The state of the machine before nodes changed it; if another run is in progress, the state that it found."""
    settings = read_settings()
    for directory in other_runs():
        settings |= json.loads((directory / "before.json").read_text())["settings"]
    return settings


def prctl(option: int, value: int):
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def settle_in():
    """First thing inside: /proc of the new PID namespace (the old one stays reachable), and a private place for namespace names."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    outside = run_dir() / "proc"
    outside.mkdir()
    subprocess.run(["mount", "--rbind", "/proc", outside], check=True)
    subprocess.run(["mount", "-t", "proc", "proc", "/proc"], check=True)
    os.makedirs("/run/netns", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/netns"], check=True)
    limit, enough = INOTIFY_INSTANCES
    limit.write_text(str(max(enough, int(limit.read_text()))))


def outside_pid(pid: int) -> int | None:
    """The PID of this process outside its namespace. A concurrent run may have a process with the same number inside."""
    network = os.readlink(f"/proc/{pid}/ns/net")
    for status in glob.glob(f"{run_dir()}/proc/[0-9]*/status"):
        try:
            pids = re.search(r"(?m)^NSpid:\s+(\d+)\s+(\d+)", Path(status).read_text())
            if pids and int(pids[2]) == pid and os.readlink(Path(status).parent / "ns/net") == network:
                return int(pids[1])
        except OSError:
            continue  # it has ended meanwhile
    return None


def read_settings() -> dict[str, str]:
    found = {}
    for path in (p for pattern in SHARED_SETTINGS for p in glob.glob(pattern)):
        if path in ACTIONS or not os.path.isfile(path):
            continue
        try:
            found[path] = Path(path).read_text()
        except OSError:
            pass  # write-only
    return found


def write_settings(before: dict[str, str]):
    now = read_settings()
    for path, text in before.items():
        if now.get(path) == text:
            continue
        # A choice is shown as "always [madvise] never" but written as one word.
        choice = re.search(r"\[(\w+)\]", text)
        try:
            Path(path).write_text(choice[1] if choice else text)
        except OSError as e:
            print(f"could not put {path} back to {text.strip()!r}: {e}", file=sys.stderr)


def drop_swap(directory: Path):
    for line in Path("/proc/swaps").read_text().splitlines()[1:]:
        if (name := line.split()[0]).startswith(str(directory)):
            subprocess.run(["swapoff", name], check=False)


def cgroup_parents() -> list[Path]:
    """The cgroup folder of this process, one per hierarchy: a node's cgroups are below it, so limits of this process apply to the node, too."""
    mounts = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, right = line.split(" - ")
        kind, _, options = right.split(" ", 2)
        if kind == "cgroup2":
            mounts[""] = left.split()[4]
        elif kind == "cgroup":
            for name in options.split(","):
                mounts[name] = left.split()[4]
    parents = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        mount = mounts.get(names) or mounts.get(names.split(",")[0])
        if mount:
            parents.append(Path(mount + path.rstrip("/")))
    return parents


def make_cgroups(name: str) -> list[Path]:
    """A cgroup of this name in every hierarchy, ready to take processes."""
    made = []
    for parent in cgroup_parents():
        folder = parent / run_dir().name / name
        for level in (folder.parent, folder):
            level.mkdir(exist_ok=True)
            # A cpuset accepts no process until its CPUs and memory nodes are set.
            for knob in ("cpuset.cpus", "cpuset.mems"):
                if (level / knob).exists() and not (level / knob).read_text().strip():
                    (level / knob).write_text((level.parent / knob).read_text())
        made.append(folder)
    return made


def remove_cgroup_tree(folder: Path):
    for directory, _, _ in os.walk(folder, topdown=False):
        try:
            os.rmdir(directory)
        except OSError:
            pass  # a process is still in it; the caller decides whether this matters
