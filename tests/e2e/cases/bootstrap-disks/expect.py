"""The resource disk and its partition are two loop devices: a container sees no partitions of a loop device by itself."""

import contextlib
import os
import subprocess

PARTITION = "/dev/disk/azure/resource-part1"
LINKS = "/usr/lib/tmpfiles.d/e2e-resource-disk.conf"


def drive(t):
    node = t.node
    with contextlib.ExitStack() as devices:
        names = []
        for name in ("disk", "partition"):
            file = node.dir / name
            with open(file, "wb") as f:
                f.truncate(64 << 20)
            device = subprocess.run(["losetup", "--find", "--show", file], check=True, capture_output=True, text=True).stdout.strip()
            devices.callback(subprocess.run, ["losetup", "--detach", device], check=False)
            names.append((name, device))
        node.write(LINKS, "".join(
            f"b! {device} 0660 root disk - {numbers(device)}\nL! /dev/disk/azure/resource{'-part1' if name == 'partition' else ''} - - - - {device}\n"
            for name, device in names))
        t.boot()
        t.wait_ready()
        check_mounted(t)
        node.run(["touch", "/mnt/kept"])
        check_root_is_left(t)
        node.shut_down()
        node.boot()
        node.wait_booted(t.case.timeout)
        check_mounted(t)
        t.check(node.exists("/mnt/kept"), "the resource disk was formatted again")
        t.wait_ready()
        # The devices are detached when they are no longer mounted.


def numbers(device: str) -> str:
    status = os.stat(device)
    return f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"


def check_mounted(t):
    t.node.wait_until_gone("/opt/azure/containers/.provision.unfinished", t.case.timeout)
    found = t.node.run(["findmnt", "--noheadings", "--output", "FSTYPE", "/mnt"], check=False).stdout.strip()
    t.check(found == "ext4", f"/mnt has {found!r}")
    lines = [line for line in t.node.read("/etc/fstab").splitlines() if PARTITION in line]
    t.check(len(lines) == 1, f"/etc/fstab has {lines}")


def check_root_is_left(t):
    """A container's root is not a partition: this is reported, and is not a failure."""
    record = t.node.read("/var/log/azure/aks-node-controller/trace.jsonl")
    t.check("not on a partition" in record, "the run record does not tell why the root has not grown")
