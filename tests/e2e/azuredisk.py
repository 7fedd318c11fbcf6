"""The disks of a VM in Azure, for nodes in virtual machines: a root partition on a disk that is larger than its image, and a drive for the
provisioning disc, whose file systems few kernels of test machines have.

    disc = azuredisk.make_disc(node, suite, custom_data, udf=True)
    azuredisk.prepare(node, suite, disc)                            while the node is off
    azuredisk.change_disc(node, other)                              while it runs
"""

import socket
import subprocess
from pathlib import Path

import azure
import azurenode
import debian

# The programs that images with cloud-init contain, and the last one for making discs.
PACKAGES = ("cloud-guest-utils", "fdisk", "e2fsprogs", "eject", "genisoimage")
IMAGE = 3 << 30  # the size of the image
START = 1 << 20  # where its root partition begins
PROMPT = b"(qemu) "


def tools(suite: str) -> Path:
    """The packages with all that they need, in a tree of their own."""
    return debian.unpacked(f"disk-tools-{suite}", suite, lambda apt: apt.with_dependencies(*PACKAGES))


def prepare(node, suite: str, disc: Path):
    """An image on a larger disk, in a machine with the firmware of a VM in Azure and with this disc in its drive."""
    subprocess.run(["cp", "-rP", "--no-clobber", f"{tools(suite)}/usr/.", f"{node.root}/usr/"], check=True)
    node.make_disk = lambda: _make_disk(node, suite)
    node.devices += [
        "-uuid", azurenode.product_uuid(node.azure.vm_id, uefi=False), "-smbios", f"type=3,asset={azurenode.CHASSIS}",
        "-device", "virtio-scsi-pci", "-drive", f"id=disc,if=none,media=cdrom,readonly=on,format=raw,file={disc}", "-device", "scsi-cd,drive=disc",
        "-monitor", f"unix:{node.dir}/monitor,server=on,wait=off"]


def _make_disk(node, suite: str):
    disk = node.disks[0]
    with open(disk, "wb") as file:
        file.truncate(IMAGE)
    _run(suite, "sbin/sfdisk", "--quiet", disk, given=f"label: gpt\nstart={START // 512}\n")
    node.make_root(START, (IMAGE - 2 * START) >> 10)
    with open(disk, "ab") as file:
        file.truncate(node.disk_bytes)


def make_disc(node, suite: str, custom_data: bytes, udf: bool) -> Path:
    """A provisioning disc with UDF or ISO 9660."""
    directory = node.dir / ("udf" if udf else "iso9660")
    directory.mkdir()
    (directory / "ovf-env.xml").write_text(azure.ovf_env(node.name, custom_data))
    image = directory.with_suffix(".iso")
    _run(suite, "bin/genisoimage", "-quiet", "-joliet", *(["-udf"] if udf else []), "-output", image, directory)
    return image


def change_disc(node, image: Path):
    """As a host does, although the guest has locked the drive."""
    said = _ask(node, f"change disc -f {image} raw")
    if "Error" in said:
        raise RuntimeError(f"the disc does not go into the drive: {said}")


def is_ejected(node) -> bool:
    """Asked from outside: a program on the node that opens the drive closes its tray."""
    return "tray open" in _ask(node, "info block disc")


def _ask(node, command: str) -> str:
    """The answer of QEMU's monitor."""
    with socket.socket(socket.AF_UNIX) as monitor:
        monitor.settimeout(30)
        monitor.connect(str(node.dir / "monitor"))
        _until_prompt(monitor)
        monitor.sendall(f"{command}\n".encode())
        return _until_prompt(monitor)


def _until_prompt(monitor: socket.socket) -> str:
    said = b""
    while not said.endswith(PROMPT):
        said += monitor.recv(4096)
    return said.decode()


def _run(suite: str, program: str, *arguments, given: str = ""):
    """Runs a program of the tree with the tree's libraries."""
    tree = tools(suite)
    argv = [f"{tree}/usr/lib64/ld-linux-x86-64.so.2", "--library-path", f"{tree}/usr/lib/x86_64-linux-gnu", f"{tree}/usr/{program}", *map(str, arguments)]
    subprocess.run(argv, input=given, check=True, capture_output=True, text=True)
