"""The timeline of a node, asked on the node or of its copied disk."""

import json
import shutil
import subprocess
from pathlib import Path

import package

# From systemd to NodeReady. A virtual machine's starts with its kernel; a container's kernel started long before.
WAY = ("systemd.start", "cloudinit.local.start", "cloudinit.network.start", "boothook.start", "controller.start", "containerd.started", "containerd.ready",
       "kubelet.started", "kubelet.first_log", "kubelet.tls", "kubelet.runtime", "kubelet.sync_loop", "node.registered", "node.ready", "provision.complete")


def on_node(t) -> dict:
    return json.loads(t.node.run([package.CONTROLLER, "timeline", "--format", "json"]).stdout)


def of_copy(t) -> dict:
    """The result of `sunup timeline` for the logs alone, on another machine."""
    copy = t.node.dir / "copied-logs"
    shutil.rmtree(copy, ignore_errors=True)
    logs = t.node.path("/var/log")
    for name in ("azure", "journal"):
        shutil.copytree(logs / name, copy / "var/log" / name, symlinks=True)
    shutil.copy(logs / "cloud-init.log", copy / "var/log")
    argv = [t.binaries / "sunup", "timeline", copy, "--format", "json"]
    return json.loads(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)


def milestones(timeline: dict) -> dict[str, float]:
    return {m["id"]: m["at"] for m in timeline["milestones"]}


def told_otherwise(one: dict, other: dict) -> dict[str, tuple]:
    """The milestones of the way that another timeline of the same run lacks, or has elsewhere without calling that approximate. (Without
    systemd the journal tells of units, a moment later.)"""
    there = {m["id"]: m for m in other["milestones"]}
    return {id: (at, there.get(id)) for id, at in milestones(one).items()
            if id in WAY[1:] and (id not in there or not there[id]["approximate"] and abs(there[id]["at"] - at) > 0.5)}
