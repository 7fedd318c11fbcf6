"""A node that is a container: systemd, cloud-init, containerd and kubelet in nspawn, over a copy-on-write view of the node image.

A node can be booted, asked things, have its power cut and be booted again on the same disk.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import executions
import inotify
import sandbox
import search
from controlplane import ControlPlane
from machine import Machine


class Node(Machine):
    own_kernel = False
    # A node in a container has this machine's cgroups.
    cgroup_v2 = Path("/sys/fs/cgroup/cgroup.controllers").exists()

    def __init__(self, name: str, layers: list[Path], control_plane: ControlPlane, directory: Path):
        super().__init__(name, layers, control_plane, directory)
        self.nspawn: subprocess.Popen | None = None
        # containerd's own overlays cannot be on top of an overlay, so its state gets a directory of the real disk.
        self.containerd_state = directory / "containerd"
        self.containerd_state.mkdir()
        self.devices: dict[str, str] = {}  # of this machine that the node sees: its path there, the path here
        self.mounts = [self.root]

    def _base(self) -> Path:
        return Path(f"/proc/{self.leader}/root") if self.leader else self.root

    def wait_for_path(self, path: str, timeout: float):
        inotify.wait_for_path(self.path(path), timeout)

    def wait_until_gone(self, path: str, timeout: float):
        inotify.wait_until_gone(self.path(path), timeout)

    # -- power

    @property
    def is_on(self) -> bool:
        return self.nspawn is not None

    def boot(self):
        assert self.nspawn is None, "the node is on already"
        self._connect_network()
        self.cgroups = sandbox.make_cgroups(self.name)
        notify = self.dir / "notify"
        notify.unlink(missing_ok=True)
        self.notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notifications.bind(str(notify))
        console = open(self.dir / "console.log", "ab")
        argv = [
            "systemd-nspawn", f"--directory={self.root}", f"--machine={self.name}", "--hostname=localhost", "--boot", "--quiet",
            "--notify-ready=yes", "--console=read-only", "--link-journal=no", "--resolv-conf=off", "--timezone=off",
            # There is no system bus outside that could register the container or give it a scope.
            "--register=no", "--keep-unit", f"--network-namespace-path={self.ns.path}",
            # A node is a whole machine: it loads modules, mounts, sets clocks and limits, uses bpf.
            "--capability=all", "--system-call-filter=@known @raw-io @module @keyring bpf perf_event_open",
            "--bind=/dev/kmsg", f"--bind={self.containerd_state}:/var/lib/containerd", *(f"--bind={here}:{there}" for there, here in self.devices.items()),
            # The console is for a log: only errors, no colours, no animations.
            "--setenv=TERM=dumb", "--setenv=SYSTEMD_COLORS=0", "--", "--show-status=error",
        ]
        # A shell enters the node's cgroups and becomes nspawn, so that no process of the node is ever outside them.
        enter = 'for c; do [ "$c" = -- ] && break; echo $$ >"$c/cgroup.procs"; shift; done; shift; exec "$@"'
        self.booted_at, self.ready_at = time.monotonic(), 0.0
        self.nspawn = subprocess.Popen(
            # nspawn mounts the node's /sys in the namespace where it was started, and /sys shows the interfaces of that namespace.
            ["sh", "-c", enter, "sh", *self.cgroups, "--", *self.ns.command(argv)], stdin=subprocess.DEVNULL, stdout=console, stderr=console,
            env={**os.environ, "NOTIFY_SOCKET": str(notify), "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "1", "SYSTEMD_NSPAWN_LOCK": "0"})
        console.close()
        self._news = threading.Condition()
        threading.Thread(target=self._listen, args=(self.nspawn, self.notifications), daemon=True).start()
        self._await(lambda: self.leader, "start", 30)

    def wait_booted(self, timeout: float = 120) -> float:
        self._await(lambda: self.ready_at, "finish booting", timeout)
        return self.ready_at - self.booted_at

    def _listen(self, nspawn: subprocess.Popen, notifications: socket.socket):
        """Records the notifications of nspawn about the container, with their times."""
        notifications.settimeout(1.0)  # a container that dies sends nothing; this timeout detects it
        while nspawn.poll() is None:
            try:
                text = notifications.recv(65536).decode()
            except TimeoutError:
                continue
            except OSError:
                break  # switched off
            with self._news:
                if pid := re.search(r"X_NSPAWN_LEADER_PID=(\d+)", text):
                    self.leader = int(pid[1])
                if "READY=1" in text.split("\n"):
                    self.ready_at = time.monotonic()
                self._news.notify_all()
        with self._news:
            self._news.notify_all()

    def _await(self, happened, what: str, timeout: float):
        nspawn = self.nspawn
        with self._news:
            self._news.wait_for(lambda: happened() or nspawn.poll() is not None, timeout)
        if not happened():
            end = f"ended with {nspawn.returncode}" if nspawn.poll() is not None else f"took over {timeout:.0f} s"
            raise RuntimeError(f"the node did not {what}: it {end}\n{self.console_tail()}")

    def power_cut(self):
        """Ends everything on the node at once, without clean-up. (Written data is kept, because the page cache belongs to this machine.)"""
        # When PID 1 ends, everything on the node ends. There is none if the node never started (and 0 would mean this process).
        if self.leader > 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.leader, signal.SIGKILL)
        self.nspawn.kill()
        self._off()

    def shut_down(self, timeout: float = 60):
        self.nspawn.terminate()
        try:
            self.nspawn.wait(timeout)
        finally:
            self.nspawn.kill()
            self._off()

    def _off(self):
        self.nspawn.wait()
        self.nspawn, self.leader = None, 0
        self.notifications.close()
        self.azure.stop()
        # A new namespace for the next boot: firewall rules and interfaces do not survive a power cut either.
        self.ns.remove()
        for c in self.cgroups:
            sandbox.remove_cgroup_tree(c)

    def remove(self):
        if self.nspawn:
            self.power_cut()
        subprocess.run(["umount", "--lazy", *self.mounts], check=False)

    # -- network

    def _connect_network(self):
        self._lay_cable()
        if self.mac:
            self.ns.ip("link", "set", "eth0", "address", self.mac)
        self.mac = self._mac()
        if self.by_dhcp:
            self.cp.dhcp.addresses[self.mac] = self.address
        self.ns.ip("link", "set", "eth0", "up")
        self.azure.start(self.ns, self.address, self.mac)

    def _mac(self) -> str:
        out = subprocess.run(["ip", "-n", self.ns.name, "-br", "link", "show", "eth0"], check=True, capture_output=True, text=True).stdout
        return out.split()[2]

    # -- requests

    def _run(self, argv: list[str], timeout: float) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--", *argv],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root"})

    def journal(self, *options: str) -> str:
        return self._journal_on_disk(*options)

    def executions(self, families: bool = False) -> executions.Programs:
        return executions.Executions(self.root, families)

    def search(self, texts: dict[str, bytes]) -> search.Found:
        return search.Found(search.files(self.dir / "upper", texts), search.commands(texts, os.readlink(f"/proc/{self.leader}/ns/pid")))

    def shell_hint(self) -> str:
        return f"nsenter --all --target {sandbox.outside_pid(self.leader)} bash"
