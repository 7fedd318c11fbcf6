"""QEMU: the program, the accelerator that works on this machine, and a running virtual machine's command line."""

import os
import platform
import subprocess
from pathlib import Path

import cache
import debian
from kernel import Kernel

SUITE = "trixie"
PORTS = ("e2e.agent", "e2e.files", "e2e.executions")
MEMORY = 3072
KVM = ("-accel", "kvm", "-cpu", "host", "-smp", "2")
EMULATED = ("-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2")
# In emulation every instruction costs time, so mitigations are off. A fault is a panic, which ends
# QEMU: by the device pvpanic once the kernel has its module, before that because a machine that reboots ends (-no-reboot).
COMMAND_LINE = "rw console=ttyS0 net.ifnames=0 loglevel=4 panic=-1 oops=panic mitigations=off nokaslr systemd.show_status=error systemd.ssh_auto=no"


def program() -> list[str]:
    """QEMU of Debian 13 with all its libraries, in a tree of its own: QEMU 7.2 of Debian 12, where it emulates two CPUs, sometimes runs an old
    translation of code that the kernel has changed meanwhile, and the kernel panics ("Oops: int3")."""
    tree = debian.unpacked(f"qemu-{SUITE}", SUITE, lambda apt: apt.with_dependencies("qemu-system-x86"))
    return [f"{tree}/usr/lib64/ld-linux-x86-64.so.2", "--library-path", f"{tree}/usr/lib/x86_64-linux-gnu", f"{tree}/usr/bin/qemu-system-x86_64",
            "-L", f"{tree}/usr/share/qemu", "-L", f"{tree}/usr/share/seabios"]


def has_kvm(kernel: Kernel) -> bool:
    """Whether a kernel boots with KVM here. /dev/kvm alone is not conclusive; a test boot is, and its result is cached."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    version = subprocess.run([*program(), "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    question = f"{platform.release()} {kernel.layer.name} {version}\n"
    answer = cache.root() / "kvm"
    if not answer.exists() or not answer.read_text().startswith(question):
        answer.write_text(question + ("yes" if _boots(kernel) else "no"))
    return answer.read_text().endswith("yes")


def _boots(kernel: Kernel) -> bool:
    argv = [*program(), *KVM, "-m", "512", "-no-reboot", "-display", "none", "-monitor", "none", "-serial", "stdio", *_kernel(kernel, "e2e.probe")]
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and b"e2e: the kernel runs" in done.stdout


def _kernel(kernel: Kernel, *words: str) -> list[str]:
    return ["-kernel", str(kernel.image), "-initrd", str(kernel.initrd), "-append", " ".join((COMMAND_LINE, *words))]


def command(kernel: Kernel, directory: Path, disks: list[Path], mac: str, words: list[str]) -> list[str]:
    """A machine with these disks, a network card on tap0, the runner's ports and its console as sockets in the directory, and what
    the console showed in console.log."""
    argv = [*program(), *(KVM if has_kvm(kernel) else EMULATED), "-m", str(MEMORY), "-nodefaults", "-no-reboot", "-display", "none",
            *_kernel(kernel, *words),
            "-chardev", f"socket,id=console,path={directory}/console,server=on,wait=off,logfile={directory}/console.log,logappend=on",
            "-serial", "chardev:console",
            "-netdev", "tap,id=eth0,ifname=tap0,script=no,downscript=no", "-device", f"virtio-net-pci,netdev=eth0,mac={mac},romfile=",
            "-object", "rng-random,id=random,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=random",
            "-device", "virtio-serial-pci", "-device", "pvpanic-pci"]
    for number, disk in enumerate(disks):
        # A flush of the guest is not passed on to this machine's disk, because this machine does not lose power. Data that the guest has not written when QEMU
        # is killed is lost with the guest's memory.
        argv += ["-drive", f"id=disk{number},file={disk},if=none,format=raw,cache=unsafe,discard=unmap", "-device", f"virtio-blk-pci,drive=disk{number},serial={disk.stem}"]
    for port in PORTS:
        argv += ["-chardev", f"socket,id={port},path={directory}/{port},server=on,wait=off", "-device", f"virtserialport,chardev={port},name={port}"]
    return argv
