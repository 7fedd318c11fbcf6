"""The common part of all kinds of nodes: a disk over the node image, a link to the control plane, Azure's services, and a way to run commands.

node.py implements containers, vm.py virtual machines. Cases and validators do not distinguish them.
"""

import shutil
import subprocess
from pathlib import Path

import executions
import net
import search
from azure import WIRE, Azure
from controlplane import ADDRESS, DOMAIN, REGISTRY, REGISTRY_NAMES, ControlPlane
from net import Namespace


class Machine:
    slowness = 1  # how many times slower than a container it is
    own_kernel = cgroup_v2 = True
    lost_power = False  # a power cut discarded unsynced data
    by_dhcp = False  # its network is described by Azure, not by a file on its disk

    def __init__(self, name: str, layers: list[Path], control_plane: ControlPlane, directory: Path):
        self.name, self.cp, self.dir = name, control_plane, directory
        self.root = directory / "root"  # the node's / while it is off
        self.azure = Azure(name, self._lookup)
        self.names = dict.fromkeys(REGISTRY_NAMES, REGISTRY)
        self.leader = 0  # the node's PID 1, if this machine sees it
        self.ns: Namespace | None = None
        self.when_lost = lambda: None  # called on any thread if the node ends unexpectedly
        self.booted_at = self.ready_at = 0.0
        self.address = self.mac = ""
        for d in ("upper", "work", "root"):
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

    def _base(self) -> Path:
        """The path of the node's / on this machine."""
        raise NotImplementedError

    def path(self, path: str) -> Path:
        """The path of a node's file on this machine. While the node runs, this includes its /run and other mounts."""
        return self._base() / path.lstrip("/")

    def target(self, path: str) -> Path:
        """The same, with links resolved as on the node (this machine would resolve them to its own paths)."""
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

    def exists(self, path: str) -> bool:
        return self.target(path).exists()

    def read(self, path: str) -> str:
        return self.target(path).read_text(errors="replace")

    def modified(self, path: str) -> float:
        """When a file was written, in seconds since the epoch."""
        return self.target(path).stat().st_mtime

    def write(self, path: str, content: str | bytes, mode: int = 0o644):
        target = self._fresh(path)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        target.chmod(mode)

    def copy_in(self, source: Path, path: str, mode: int = 0o755):
        target = self._fresh(path)
        shutil.copyfile(source, target)
        target.chmod(mode)

    def _fresh(self, path: str) -> Path:
        """The path to write to: replaces a link instead of following it."""
        directory = self.target(str(Path(path).parent))
        directory.mkdir(parents=True, exist_ok=True)
        target = directory / Path(path).name
        if target.is_symlink():
            target.unlink()
        return target

    def seed(self, user_data: str):
        """The data that cloud-init finds at first boot."""
        self.write("/var/lib/cloud/seed/nocloud/meta-data", f"instance-id: {self.name}\nlocal-hostname: {self.name}\n")
        self.write("/var/lib/cloud/seed/nocloud/user-data", user_data, 0o600)

    # -- power: see node.py and vm.py

    @property
    def is_on(self) -> bool:
        raise NotImplementedError

    def boot(self):
        """Switches the node on and returns as soon as it accepts requests: its PID 1 has started, but little else."""
        raise NotImplementedError

    def wait_booted(self, timeout: float = 120) -> float:
        """Waits until the node's systemd has started everything. Returns the seconds since power-on."""
        raise NotImplementedError

    def shut_down(self, timeout: float = 60):
        """An orderly power-off."""
        raise NotImplementedError

    def power_cut(self):
        """Ends everything on the node at once, without clean-up."""
        raise NotImplementedError

    def remove(self):
        raise NotImplementedError

    def why_lost(self) -> str:
        """Why the node is off although it was not switched off; empty if it is on, or if the reason is unknown."""
        return ""

    # -- network

    def _lay_cable(self):
        """A namespace with the node's services of Azure and a cable to the control plane."""
        self.ns = Namespace(f"node-{self.name}")
        self.port = self.cp.plug(self.ns)
        # A machine keeps its addresses when it boots again.
        self.address = self.address or f"10.224.{1 + self.port // 250}.{1 + self.port % 250}"
        if self.by_dhcp:
            return
        # systemd-networkd, as on Azure, but without waiting for a DHCP server or for IPv6 duplicate address detection.
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

    def unplug(self):
        self.cp.set_cable(self.port, False)

    def plug_in(self):
        self.cp.set_cable(self.port, True)

    def set_link(self, up: bool):
        """Returns when the kernel has announced the change: it does so later, and not at all if the link has changed back by then."""
        with self.ns.link_news() as news:
            self.cp.set_link(self.port, up)
            while up not in net.link_states(news.recv(1 << 16)):
                pass

    # -- requests

    def run(self, argv: list[str], timeout: float = 60, check: bool = True) -> subprocess.CompletedProcess:
        """Runs a program on the node as root and returns its output."""
        done = self._run(argv, timeout)
        if check and done.returncode != 0:
            raise RuntimeError(f"on node {self.name}: {' '.join(argv)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def _run(self, argv: list[str], timeout: float) -> subprocess.CompletedProcess:
        raise NotImplementedError

    def unit_state(self, unit: str) -> str:
        return self.run(["systemctl", "is-active", unit], check=False).stdout.strip()

    def journal(self, *options: str) -> str:
        """The node's journal, also when it is off."""
        raise NotImplementedError

    def _journal_on_disk(self, *options: str) -> str:
        return subprocess.run(
            ["journalctl", f"--directory={self.root}/var/log/journal", "--no-pager", "--output=short-monotonic", *options],
            capture_output=True, text=True, check=False).stdout

    def executions(self, families: bool = False) -> executions.Programs:
        """Programs as they start on the node. Must be called while the node is off."""
        raise NotImplementedError

    def wait_for_path(self, path: str, timeout: float):
        raise NotImplementedError

    def wait_until_gone(self, path: str, timeout: float):
        raise NotImplementedError

    def search(self, texts: dict[str, bytes]) -> search.Found:
        """The files on the node's disk and the command lines that contain these texts."""
        raise NotImplementedError

    def console_tail(self, lines: int = 20) -> str:
        return "\n".join((self.dir / "console.log").read_text(errors="replace").splitlines()[-lines:])

    def shell_hint(self) -> str:
        """How a person gets a shell on the running node."""
        raise NotImplementedError
