"""One real node: systemd, cloud-init, containerd and kubelet in an nspawn container, over a copy-on-write view of the node image.

A node can be booted, asked things, have its power cut and be booted again on the same disk.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import inotify
import sandbox
from azure import WIRE, Azure
from controlplane import ADDRESS, DOMAIN, REGISTRY, REGISTRY_NAMES, ControlPlane
from net import Namespace


class Node:
    def __init__(self, name: str, layers: list[Path], control_plane: ControlPlane, directory: Path):
        self.name, self.cp, self.dir = name, control_plane, directory
        self.root = directory / "root"  # the node's / while it is off
        self.azure = Azure(name, self._lookup)
        self.names = dict.fromkeys(REGISTRY_NAMES, REGISTRY)
        self.nspawn: subprocess.Popen | None = None
        self.leader = 0  # the node's PID 1
        self.ns: Namespace | None = None
        self.booted_at = self.ready_at = 0.0
        self.address = self.mac = ""
        # containerd's own overlays cannot sit on top of an overlay, so its state gets a directory of the real disk.
        self.containerd_state = directory / "containerd"
        for d in ("upper", "work", "root", "containerd"):
            (directory / d).mkdir(parents=True)
        # metacopy: renaming or chowning a 100 MB kubelet must not copy it.
        subprocess.run(["mount", "-t", "overlay", f"node-{name}", self.root, "-o",
                        f"lowerdir={':'.join(map(str, layers))},upperdir={directory}/upper,workdir={directory}/work,metacopy=on,redirect_dir=on"], check=True)
        self._trust((control_plane.dir / "public.crt").read_text())

    def _trust(self, certificate: str):
        """Adds an authority to the image's trust store, as the store of a real image knows those of public registries."""
        self.write("/usr/local/share/ca-certificates/e2e.crt", certificate)
        bundle = "/etc/ssl/certs/ca-certificates.crt"
        self.write(bundle, self.read(bundle) + certificate)

    def _lookup(self, name: str) -> str | None:
        return self.names.get(name) or (ADDRESS if name.endswith("." + DOMAIN) else None)

    # -- the disk, while the node is off (and while it runs)

    def path(self, path: str) -> Path:
        """Where this machine sees a file of the node. While the node runs that includes its /run and other mounts."""
        return self._base() / path.lstrip("/")

    def target(self, path: str) -> Path:
        """The same, with links followed as the node would follow them (this machine would take them for its own paths)."""
        base, left, at = self._base(), list(Path(path.lstrip("/")).parts), Path()
        for _ in range(1000):
            if not left:
                return base / at
            part = left.pop(0)
            if part == "..":
                at = at.parent
            elif (base / at / part).is_symlink():
                link = (base / at / part).readlink()
                left = [p for p in link.parts if p != "/"] + left
                at = Path() if link.is_absolute() else at
            else:
                at = at / part
        raise OSError(f"{path}: too many links")

    def _base(self) -> Path:
        return Path(f"/proc/{self.leader}/root") if self.leader else self.root

    def exists(self, path: str) -> bool:
        return self.target(path).exists()

    def write(self, path: str, content: str | bytes, mode: int = 0o644):
        target = self._fresh(path)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        target.chmod(mode)

    def copy_in(self, source: Path, path: str, mode: int = 0o755):
        target = self._fresh(path)
        shutil.copyfile(source, target)
        target.chmod(mode)

    def _fresh(self, path: str) -> Path:
        """Where to write: in place of a link, not through it."""
        directory = self.target(str(Path(path).parent))
        directory.mkdir(parents=True, exist_ok=True)
        target = directory / Path(path).name
        if target.is_symlink():
            target.unlink()
        return target

    def read(self, path: str) -> str:
        return self.target(path).read_text(errors="replace")

    def wait_for_path(self, path: str, timeout: float):
        inotify.wait_for_path(self.path(path), timeout)

    def wait_until_gone(self, path: str, timeout: float):
        inotify.wait_until_gone(self.path(path), timeout)

    def seed(self, user_data: str):
        """What cloud-init finds at first boot."""
        self.write("/var/lib/cloud/seed/nocloud/meta-data", f"instance-id: {self.name}\nlocal-hostname: {self.name}\n")
        self.write("/var/lib/cloud/seed/nocloud/user-data", user_data, 0o600)

    # -- power

    def boot(self):
        """Switches the node on and returns as soon as its PID 1 exists."""
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
            # There is no system bus out here that could register the container or give it a scope.
            "--register=no", "--keep-unit", f"--network-namespace-path={self.ns.path}",
            # A node is a whole machine: it loads modules, mounts, sets clocks and limits, uses bpf.
            "--capability=all", "--system-call-filter=@known @raw-io @module @keyring bpf perf_event_open",
            "--bind=/dev/kmsg", f"--bind={self.containerd_state}:/var/lib/containerd",
            # The console is for a log: only what went wrong, no colours, nothing that moves.
            "--setenv=TERM=dumb", "--setenv=SYSTEMD_COLORS=0", "--", "--show-status=error",
        ]
        # A shell enters the node's cgroups and becomes nspawn, so that no process of the node is ever outside of them.
        enter = 'for c; do [ "$c" = -- ] && break; echo $$ >"$c/cgroup.procs"; shift; done; shift; exec "$@"'
        self.booted_at, self.ready_at = time.monotonic(), 0.0
        self.nspawn = subprocess.Popen(
            # nspawn mounts the node's /sys while it is still where it was started, and /sys shows the interfaces of that place.
            ["sh", "-c", enter, "sh", *self.cgroups, "--", *self.ns.command(argv)], stdin=subprocess.DEVNULL, stdout=console, stderr=console,
            env={**os.environ, "NOTIFY_SOCKET": str(notify), "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "1", "SYSTEMD_NSPAWN_LOCK": "0"})
        console.close()
        self._news = threading.Condition()
        threading.Thread(target=self._listen, args=(self.nspawn, self.notifications), daemon=True).start()
        self._await(lambda: self.leader, "start", 30)

    def wait_booted(self, timeout: float = 120) -> float:
        """Waits until the node's systemd says it has started everything. Returns the seconds that took since power-on."""
        self._await(lambda: self.ready_at, "finish booting", timeout)
        return self.ready_at - self.booted_at

    def _listen(self, nspawn: subprocess.Popen, notifications: socket.socket):
        """Takes down what nspawn says about the container, and when."""
        notifications.settimeout(1.0)  # a container that dies says nothing; this is how that is noticed
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
        """Everything on the node ends at once; nothing gets to clean up. (What was written stays: the page cache is this machine's.)"""
        # Its PID 1 takes everything on the node with it. There is none if the node never came up (and 0 would mean ourselves).
        if self.leader > 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.leader, signal.SIGKILL)
        self.nspawn.kill()
        self._off()

    def shut_down(self, timeout: float = 60):
        """An orderly power-off."""
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
        subprocess.run(["umount", "--lazy", self.root], check=False)

    # -- network

    def _connect_network(self):
        self.ns = Namespace(f"node-{self.name}")
        self.port = self.cp.plug(self.ns)
        # A machine keeps its addresses when it boots again.
        self.address = self.address or f"10.224.{1 + self.port // 250}.{1 + self.port % 250}"
        if self.mac:
            self.ns.ip("link", "set", "eth0", "address", self.mac)
        self.mac = self._mac()
        self.ns.ip("link", "set", "eth0", "up")
        # systemd-networkd, as on Azure, but without waiting for a DHCP server or for IPv6 to make sure nobody has our address.
        self.write("/etc/systemd/network/10-eth0.network", f"""\
[Match]
Name=eth0

[Network]
Address={self.address}/16
Gateway={ADDRESS}
DNS={WIRE}
LinkLocalAddressing=no
IPv6AcceptRA=no
""")
        self.azure.start(self.ns, self.address, self.mac)

    def _mac(self) -> str:
        out = subprocess.run(["ip", "-n", self.ns.name, "-br", "link", "show", "eth0"], check=True, capture_output=True, text=True).stdout
        return out.split()[2]

    def unplug(self):
        self.cp.set_cable(self.port, False)

    def plug_in(self):
        self.cp.set_cable(self.port, True)

    # -- asking

    def run(self, argv: list[str], timeout: float = 60, check: bool = True) -> subprocess.CompletedProcess:
        """Runs a program on the node, as root, and returns what it said."""
        done = subprocess.run(
            ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--", *argv],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root"})
        if check and done.returncode != 0:
            raise RuntimeError(f"on node {self.name}: {' '.join(argv)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def unit_state(self, unit: str) -> str:
        return self.run(["systemctl", "is-active", unit], check=False).stdout.strip()

    def journal(self, *options: str) -> str:
        """The node's journal, also when it is off or too broken to ask."""
        return subprocess.run(
            ["journalctl", f"--directory={self.root}/var/log/journal", "--no-pager", "--output=short-monotonic", *options],
            capture_output=True, text=True, check=False).stdout

    def console_tail(self, lines: int = 20) -> str:
        return "\n".join((self.dir / "console.log").read_text(errors="replace").splitlines()[-lines:])
