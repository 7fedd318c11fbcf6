"""A node in a virtual machine: with its own kernel, cgroup v2, loadable modules, and a disk that loses unsynced data.

Its disk is made of the node's overlay at the first boot. While it is off the disk is mounted here; while it runs its agent and its SFTP
server answer through ports of the virtual machine.
"""

import subprocess
import threading
import time
from pathlib import Path

import inotify
import kernel
import link
import qemu
import search
from controlplane import ADDRESS, ControlPlane
from machine import Machine

HERE = Path(__file__).resolve().parent
SLOWNESS_EMULATED = 8
DISK = 8 << 30  # bytes
PROGRAMS = "/usr/lib/sunup-e2e"  # of the guest's


class VirtualNode(Machine):
    def __init__(self, name: str, layers: list[Path], control_plane: ControlPlane, directory: Path, of: kernel.Kernel):
        self.made_at = time.time()
        self.qemu: subprocess.Popen | None = None
        self.may_end = True  # QEMU, without anything being wrong
        super().__init__(name, [of.layer, *layers], control_plane, directory)
        self.kernel = of
        self.slowness = slowness(of)
        self.disks, self.disk_bytes = [directory / "disk.img"], DISK
        self.root_start = 0  # where its file system begins on the first disk; 0: it has no partitions
        self.devices: list[str] = []  # more arguments for QEMU
        self.live = directory / "live"  # the node's / while it runs
        self.live.mkdir()
        self.programs: link.Programs | None = None
        self.agent: link.Agent | None = None
        self.files: link.Files | None = None
        self._prepare()

    def _prepare(self):
        """Adds what only a node with its own kernel needs, and removes what the image has for containers."""
        subprocess.run(["cp", "-rT", "--preserve=mode", HERE / "guest/root", self.root], check=True)
        for source in (HERE / "guest").glob("*.py"):
            self.copy_in(source, f"{PROGRAMS}/{source.name}", 0o644)
        for source in ("inotify.py", "executions.py", "search.py"):
            self.copy_in(HERE / source, f"{PROGRAMS}/{source}", 0o644)
        wants = self.path("/etc/systemd/system/sysinit.target.wants")
        for unit in ("e2e-agent", "e2e-files", "e2e-executions"):
            (wants / f"{unit}.service").symlink_to(f"/etc/systemd/system/{unit}.service")
        (wants / "node-cgroups.service").unlink()
        self.path("/etc/systemd/system/multi-user.target.wants/serial-getty@ttyS0.service").symlink_to("/usr/lib/systemd/system/serial-getty@.service")
        self.path("/etc/systemd/system/systemd-udev-trigger.service.d/10-net-only.conf").unlink()
        runc = self.path("/usr/sbin/runc")
        runc.unlink()
        runc.symlink_to("/usr/libexec/runc.real")

    def _base(self) -> Path:
        return self.live if self.qemu else self.root

    def modified(self, path: str) -> float:
        # SFTP has whole seconds.
        return float(self.run(["stat", "--dereference", "--format=%.9Y", path]).stdout) if self.qemu else super().modified(path)

    def add_disk(self, name: str, size: str) -> Path:
        """Another disk for it, with an empty file system. It is the next of /dev/vd*."""
        disk = self.dir / f"{name}.img"
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-L", name, disk, size], check=True, stdout=subprocess.DEVNULL)
        self.disks.append(disk)
        return disk

    def make_disk(self):
        """Called at the first boot, when everything is in the node's overlay."""
        self.make_root(0, self.disk_bytes >> 10)

    def make_root(self, start: int, kilobytes: int):
        """The node's file system, at the start of its disk or of a partition."""
        subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-E", f"offset={start}", "-d", self.root, self.disks[0], f"{kilobytes}k"],
                       check=True, stdout=subprocess.DEVNULL)
        self.root_start = start

    # -- power

    @property
    def is_on(self) -> bool:
        return self.qemu is not None

    def boot(self):
        assert self.qemu is None, "the node is on already"
        self._connect_network()
        if not self.disks[0].exists():
            self.make_disk()
        subprocess.run(["umount", self.root], check=True)
        words = ["root=/dev/vda1" if self.root_start else "root=/dev/vda", *([self.programs.word] if self.programs else [])]
        argv = qemu.command(self.kernel, self.dir, self.disks, self.mac, words) + self.devices
        for port in qemu.PORTS:
            (self.dir / port).unlink(missing_ok=True)
        self.booted_at, self.ready_at = time.monotonic(), 0.0
        with open(self.dir / "qemu.log", "ab") as log:
            self.qemu = subprocess.Popen(self.ns.command(argv), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.may_end = False
        threading.Thread(target=self._watch, args=(self.qemu,), daemon=True).start()
        for port in qemu.PORTS:
            inotify.wait_for_path(self.dir / port, 30)
        self.agent = link.Agent(self.dir / "e2e.agent")
        self.files = link.Files(self.dir / "e2e.files", self.live)
        if self.programs:
            self.programs.connect(self.dir / "e2e.executions")
        timeout = 60 * self.slowness
        if not self.agent.wait_event("here", timeout) or not self.files.wait(timeout):
            self._fail("start")

    def _watch(self, process: subprocess.Popen):
        """A machine that ends by itself is lost, and waiting for it any longer is pointless."""
        process.wait()
        if not self.may_end:
            self.when_lost()

    def why_lost(self) -> str:
        if self.may_end or (self.qemu.poll() is None and not (self.agent and self.agent.gone)):
            return ""
        self.qemu.wait(10)  # it closes its sockets first
        return self._end("the node ended by itself")

    def wait_booted(self, timeout: float = 120) -> float:
        timeout = max(timeout, 120 * self.slowness)
        if not self.agent.wait_event("booted", timeout):
            self._fail("finish booting")
        self.ready_at = self.agent.events["booted"]
        return self.ready_at - self.booted_at

    def _fail(self, what: str):
        raise RuntimeError(self._end(f"the node did not {what}"))

    def _end(self, what: str) -> str:
        code = self.qemu.poll()
        panic = next((line for line in self.console_tail(200).splitlines() if "Kernel panic" in line), "")
        reason = panic or ("its agent said nothing more" if code is None else f"QEMU's exit code is {code}")
        log = (self.dir / "qemu.log").read_text(errors="replace")
        return f"{what} after {time.monotonic() - self.booted_at:.0f} s: {reason}\n{log}{self.console_tail()}"

    def power_cut(self):
        """Everything on the node ends at once, and what it has not written to its disk yet is lost."""
        self.lost_power = True
        self._off()

    def shut_down(self, timeout: float = 60):
        self.may_end = True
        try:
            self.run(["systemctl", "--no-block", "poweroff"])
            self.qemu.wait(timeout * self.slowness)
        finally:
            self._off()

    def _off(self):
        self.may_end = True
        self.qemu.kill()
        self.qemu.wait()
        for end in filter(None, (self.agent, self.files)):
            end.close()
        self.qemu = self.programs = self.agent = self.files = None
        self.azure.stop()
        self.ns.remove()
        # The kernel repairs the file system from its journal, as it would when the machine boots.
        subprocess.run(["mount", "-o", f"loop,offset={self.root_start}", self.disks[0], self.root], check=True)

    def remove(self):
        if self.qemu:
            self.power_cut()
        subprocess.run(["umount", "--lazy", self.root], check=False, stderr=subprocess.DEVNULL)

    # -- network

    def _connect_network(self):
        """The machine's network card is connected to a router in its own namespace, which serves Azure's addresses and forwards the rest."""
        self._lay_cable()
        self.mac = self.mac or f"02:00:00:01:{self.port >> 8:02x}:{self.port & 255:02x}"
        self.ns.ip("tuntap", "add", "tap0", "mode", "tap")
        # The router takes part in the bridge's address range under a name of its own, which nobody needs to know: it answers
        # for the node on one side and for everybody else on the other (proxy ARP).
        self.ns.ip("addr", "add", f"10.224.{128 + self.port // 250}.{1 + self.port % 250}/16", "dev", "eth0")
        for device in ("eth0", "tap0"):
            self.ns.ip("link", "set", device, "up")
        self.ns.ip("route", "add", f"{self.address}/32", "dev", "tap0")
        self.ns.ip("route", "add", "default", "via", ADDRESS)
        subprocess.run(self.ns.command(["sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv4.icmp_ratelimit=0", *(
            f"net.ipv4.conf.{device}.{setting}" for device in ("eth0", "tap0") for setting in ("proxy_arp=1", "rp_filter=0", "send_redirects=0"))]),
            check=True)
        self.azure.start(self.ns, self.address, self.mac)

    # -- asking

    def _run(self, argv: list[str], timeout: float) -> subprocess.CompletedProcess:
        return self.agent.run(argv, timeout * self.slowness)

    def journal(self, *options: str) -> str:
        if not self.qemu:
            return self._journal_on_disk(*options)
        try:
            return self.run(["journalctl", "--no-pager", "--output=short-monotonic", *options], check=False).stdout
        except (OSError, TimeoutError):
            return ""  # too broken to ask

    def executions(self, families: bool = False) -> link.Programs:
        assert self.qemu is None, "the watcher starts with the machine"
        self.programs = link.Programs(families)
        return self.programs

    def wait_for_path(self, path: str, timeout: float):
        self.agent.ask("wait_for_path", timeout, path=path, timeout=timeout)

    def wait_until_gone(self, path: str, timeout: float):
        self.agent.ask("wait_until_gone", timeout, path=path, timeout=timeout)

    def search(self, texts: dict[str, bytes]) -> search.Found:
        return self.agent.search(texts, self.made_at, 60 * self.slowness)

    def shell_hint(self) -> str:
        return f"socat -,raw,echo=0,escape=0x1d UNIX-CONNECT:{self.dir}/console (Enter shows the prompt, Ctrl-] leaves)"


def slowness(of: kernel.Kernel) -> int:
    return 1 if qemu.has_kvm(of) else SLOWNESS_EMULATED
