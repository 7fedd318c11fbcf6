"""The kernel mounts both kinds of discs, and a disc that is exchanged after a failure is read. The image was made for a smaller disk."""

import json

import azuredisk
import package

RECORD = "/var/log/azure/aks-node-controller/trace.jsonl"


def drive(t):
    node, suite = t.node, t.row.suite
    package.install(node, t.binaries)
    package.replace_cloud_init(node)
    node.azure.has_custom_data = True
    bad = azuredisk.make_disc(node, suite, b"\0" * 65536, udf=False)
    good = azuredisk.make_disc(node, suite, t.custom_data(), udf=True)
    azuredisk.prepare(node, suite, bad)
    node.boot()
    t.expect_failure(240, ["65536 zero bytes"])
    node.azure.wire.wait(node.azure.health, t.case.timeout)
    t.check([state for _, state, _ in node.azure.health()] == ["NotReady"], f"Azure heard {node.azure.health()}")
    t.check(not node.exists("/etc/hostname"), "a node without data has a name")
    before = size_of_root(node)
    t.check(before < azuredisk.IMAGE, f"the root file system has {before} bytes before kubelet was started")
    azuredisk.change_disc(node, good)
    node.run(["systemctl", "restart", "--no-block", "aks-node-bootstrap.service"])
    t.wait_ready()
    node.wait_until_gone("/opt/azure/containers/.provision.unfinished", t.case.timeout)
    kernel = node.journal("--dmesg")
    t.check("ISO 9660" in kernel and "UDF-fs" in kernel, "the kernel has not mounted a disc of each kind")
    check_grown(t)
    t.check(azuredisk.is_ejected(node), "the disc was not ejected")


def size_of_root(node) -> int:
    return int(node.run(["findmnt", "--bytes", "--noheadings", "--output=SIZE", "/"]).stdout)


def check_grown(t):
    grown = size_of_root(t.node)
    t.check(grown > 0.9 * (t.node.disk_bytes - azuredisk.START), f"the root file system has {grown} bytes on a disk of {t.node.disk_bytes}")
    events = [json.loads(line) for line in t.node.read(RECORD).splitlines()]
    begun = {e["step"]: i for i, e in enumerate(events) if e.get("e") == "started"}
    ended = {e["step"]: i for i, e in enumerate(events) if e.get("e") == "ended"}
    t.check(ended["kubelet.start"] < begun["disk.grow_root"], "the disk was grown before kubelet had started")
