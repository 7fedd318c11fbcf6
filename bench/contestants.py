"""The nodes that bench/node.py compares: how the disk of each is prepared, what starts its work, and which times are taken.

A contestant is one way from a node image to NodeReady. Every race has a limit or floor: a node without a provisioner.
"""

import collections
import json
import os
import queue
import shutil
import subprocess
import threading
import time
from pathlib import Path

import azurenode
import executions
import floor
import images
import meter
import nodeconfig
import package
import parts
import pods
import run
import sandbox
from controlplane import DOMAIN, ControlPlane
from kubeapi import Joining
from node import Node

HERE = Path(__file__).resolve().parent
CONFIG = "/opt/azure/containers/aks-node-controller-config.json"
COMPLETE = "/opt/azure/containers/provision.complete"
LATE_ADDRESS, LATE = "10.224.0.3", 30.0  # an API server that appears this many seconds after the trigger, or up to a second later
DISK_BYTES = 100_000_000  # per second
TRIGGER = """#!/bin/bash
echo "$EPOCHREALTIME" >/run/bench-trigger
"""
UNIT = """[Service]
Type=oneshot
ExecStart=/opt/bench/trigger
KillMode=process
"""
START = "systemctl start --no-block containerd kubelet\n"
SUNUP = f"exec /opt/azure/containers/aks-node-controller provision --mode native --provision-config={CONFIG}\n"
# What runs at the trigger, on a node that has booted and is idle.
WORK = {
    "floor": "systemctl daemon-reload\n" + START, "sunup": SUNUP, "deb": SUNUP,
    "script": "exec /bin/bash /opt/bench/script.sh /opt/bench/environment\n",
    "cold-limit": START, "cold-sunup": SUNUP, "cold-other": SUNUP, "late-floor": START, "late-sunup": SUNUP,
}
OTHER = "cold-other"  # the programs of --other-bin
IN_PLACE = ("floor", "cold-limit", "late-floor", "limit")  # nothing is provisioned on these
RACES = {
    "trigger": ("floor", "sunup", "deb", "script"),
    "power-on": ("write-files", "boothook", "bootstrap", "limit"),
    "cold": ("cold-limit", "cold-sunup", "cold-other"),
    "late": ("late-floor", "late-sunup"),
    "fails": ("fails",),
}


class Race:
    def __init__(self, args, control_plane: ControlPlane):
        self.args, self.cp = args, control_plane
        self.row = parts.ROWS[args.parts]
        self.layers = [images.kubernetes_layer(self.row), images.ensure(self.row)]

    def one(self, name: str, turn: int) -> dict:
        """Boots one node for this contestant and returns its figures. Fails loudly if it does not become Ready."""
        node = Node(f"{name}-{turn}", self.layers, self.cp, sandbox.run_dir() / f"{name}-{turn}")
        programs = executions.Executions(node.root)
        try:
            if name == "fails":
                return self.failure(name, node)
            return self.settled(name, node, programs, turn) if name in WORK else self.first_boot(name, node, programs)
        except (TimeoutError, queue.Empty) as e:
            log = "\n".join(run.read_if_there(node, f"/var/log/azure/{f}")[-2000:] for f in ("aks-node-controller.log", "cluster-provision.log"))
            raise RuntimeError(f"{name}: {e or 'kubelet did not start'}\n{log}\n{node.journal('--lines=40')}") from e
        finally:
            programs.close()
            node.remove()
            self.cp.kubectl("delete", "node", node.name, "--ignore-not-found", "--wait=false", check=False)
            shutil.rmtree(node.dir, ignore_errors=True)

    def config(self, node: Node) -> str:
        return nodeconfig.text(self.row, node.cgroup_v2, self.cp, node.name, f"{node.name}.{DOMAIN}")

    # -- from the trigger

    def settled(self, name: str, node: Node, programs: executions.Executions, turn: int) -> dict:
        config = self.config(node)
        if name in IN_PLACE:
            floor.prepare(node, self.row)
        elif name == "script":
            (node.dir / "config.json").write_text(config)
            argv = [self.args.bin / "sunup", "render", "env", "--config", node.dir / "config.json", "--format", "sh"]
            node.write("/opt/bench/environment", subprocess.run(argv, check=True, capture_output=True).stdout, 0o600)
            node.copy_in(HERE / "script.sh", "/opt/bench/script.sh")
        else:
            package.install(node, self.args.other_bin if name == OTHER else self.args.bin, units=False)
        if name == "deb":
            put_kubelet_in_package(node, self.row)
        if name.startswith("late-"):
            node.names |= {f"{server}.{DOMAIN}": LATE_ADDRESS for server in (node.name, "floor")}
        node.write(CONFIG, config, 0o600)
        node.write("/opt/bench/trigger", TRIGGER + WORK[name], 0o755)
        node.write("/etc/systemd/system/bench.service", UNIT)
        node.seed("#cloud-config\n{}\n")
        node.boot()
        node.wait_booted(self.args.timeout)
        gauge = meter.Meter(node)
        server = LateServer(self.cp, LATE + turn / self.args.boots) if name.startswith("late-") else None
        try:
            return self._measure(name, node, programs, gauge, server)
        finally:
            gauge.close()
            if server:
                server.remove()

    def _measure(self, name: str, node: Node, programs: executions.Executions, gauge: meter.Meter, server: "LateServer | None") -> dict:
        joining, pod = Joining(self.cp.api, node.name, self.args.timeout), FirstPod(self.cp, node.name, self.args.timeout)
        kubelet = programs.first("kubelet")
        before = gauge.sample()
        if name.startswith("cold-"):
            limit_disk(node)
            drop_caches()
        node.run(["systemctl", "start", "--no-block", "bench.service"])
        if server:
            server.appear_later()
        kubelet_at = kubelet.get(timeout=self.args.timeout)
        at_exec = gauge.sample()
        own = gauge.program("aks-node-controller")
        registered, ready = joining.result()
        at_ready = gauge.sample()
        running = pod.result()
        complete = None
        if name not in IN_PLACE:
            node.wait_for_path(COMPLETE, self.args.timeout)
            complete = monotonic(node.path(COMPLETE).stat().st_mtime)
        at_end = gauge.sample()
        trigger = monotonic(float(node.read("/run/bench-trigger")))
        containerd = int(show(node, "containerd", "ActiveEnterTimestampMonotonic")) / 1e6
        end = max(ready, complete or 0)
        figures = {"containerd": containerd - trigger, "kubelet": kubelet_at - trigger, "registered": registered - trigger, "ready": ready - trigger, "pod": running - trigger,
                   "programs_exec": len(programs.between(trigger, kubelet_at)), "programs": len(programs.between(trigger, end))}
        figures["which"] = dict(collections.Counter(os.path.basename(p) for p in programs.between(trigger, kubelet_at)).most_common())
        figures["writers"] = {name: (size - before["writers"].get(name, 0)) / 1024 for name, size in at_ready["writers"].items()}
        if own:
            figures |= {"own_size": node.path("/usr/bin/aks-node-controller").stat().st_size / 1024, "own_resident": own["resident"] / 1024, "own_faults": own["faults"]}
        if complete:
            figures["complete"] = complete - trigger
        if server:
            again = [when for when, path in list(programs.seen) if when > server.appeared and os.path.basename(path).startswith("kubelet")]
            since = {"found": reached(node), "again": again[0] if again else 0, "joined": registered, "since_server": ready}
            figures |= {key: when - server.appeared for key, when in since.items() if when}
        for key, unit in {"cpu": 1, "tasks": 1, "bytes": 1024}.items():
            figures[f"{key}_exec"] = (at_exec[key] - before[key]) / unit
            figures[f"{key}_ready"] = (at_ready[key] - before[key]) / unit
            figures[key] = (at_end[key] - before[key]) / unit
        return figures

    # -- from power-on

    def first_boot(self, name: str, node: Node, programs: executions.Executions) -> dict:
        azurenode.enter_fabric(node)
        if name == "limit":
            self._prepare_limit(node)
        else:
            self._prepare_custom_data(name, node)
        controller, kubelet = programs.first("aks-node-controller"), programs.first("kubelet")
        joining, pod = Joining(self.cp.api, node.name, self.args.timeout), FirstPod(self.cp, node.name, self.args.timeout)
        node.boot()
        _, ready = joining.result()
        times = {"kubelet": kubelet.get(timeout=1), "ready": ready, "pod": pod.result()}
        if name != "limit":
            times["controller"] = controller.get(timeout=1)
        booted = node.wait_booted(self.args.timeout)
        count = len(programs.between(node.booted_at, times["kubelet"]))
        return {**{k: v - node.booted_at for k, v in times.items()}, "booted": booted, "programs_exec": count}

    def failure(self, name: str, node: Node) -> dict:
        """A first boot that ends with NotReady, because containerd cannot start."""
        azurenode.enter_fabric(node)
        self._prepare_custom_data(name, node)
        node.write("/etc/systemd/system/containerd.service.d/50-broken.conf", "[Service]\nRestart=no\nExecStart=\nExecStart=/bin/false\n")
        node.boot()
        if not node.azure.wire.wait(node.azure.health, self.args.timeout):
            raise TimeoutError("Azure heard nothing")
        when, state, _ = node.azure.health()[0]
        if state != "NotReady":
            raise RuntimeError(f"{name}: Azure heard {state}")
        result = monotonic(node.path(COMPLETE).stat().st_mtime)
        return {"complete": result - node.booted_at, "reported": when - node.booted_at, "delay": when - result}

    def _prepare_custom_data(self, name: str, node: Node):
        package.install(node, self.args.bin)
        (node.dir / "config.json").write_text(self.config(node))
        form = "write-files" if name == "write-files" else "boothook"
        argv = [self.args.bin / "sunup", "render", "custom-data", "--config", node.dir / "config.json", "--encoding", "none", "--form", form]
        custom_data = subprocess.run(argv, check=True, capture_output=True).stdout
        prepare = azurenode.prepare_without_cloud_init if name in ("bootstrap", "fails") else azurenode.prepare
        prepare(node, custom_data, hurry={})

    def _prepare_limit(self, node: Node):
        """An image that was made for this one node: it only has to get an address and to start the two services."""
        floor.prepare(node, self.row)
        azurenode.prepare_limit(node, hurry={})
        node.write("/var/lib/waagent/provisioned", node.azure.vm_id + "\n")
        node.write("/etc/cloud/cloud-init.disabled", "")
        node.write("/etc/hostname", node.name + "\n")
        subprocess.run(["systemctl", f"--root={node.root}", "enable", "containerd.service", "kubelet.service"], check=True, capture_output=True)


class FirstPod:
    """A pod that is created before the node exists, and the time when it runs."""

    def __init__(self, cluster: ControlPlane, node: str, timeout: float):
        self.pod, self.running = pods.Pod(cluster, node, timeout), 0.0
        self.pod.create_for_later()
        self.thread = threading.Thread(target=self._wait, daemon=True)
        self.thread.start()

    def _wait(self):
        self.pod.wait_running()
        self.running = time.monotonic()

    def result(self) -> float:
        self.thread.join()
        if not self.running:
            raise TimeoutError(f"{self.pod.name} did not run in {self.pod.timeout:.0f} s")
        return self.running


class LateServer:
    """An address of the API server that does not respond until later. The kernel looks for it once per second since the trigger, so boots spread
    its appearance over a second: with always the same delay, all boots would measure the same chance."""

    def __init__(self, cluster: ControlPlane, after: float):
        self.cp, self.appeared, self.timer = cluster, 0.0, threading.Timer(after, self._appear)

    def appear_later(self):
        self.timer.start()

    def _appear(self):
        self.appeared = time.monotonic()
        self.cp.ns.ip("addr", "add", f"{LATE_ADDRESS}/32", "dev", "nodes")

    def remove(self):
        self.timer.cancel()
        if self.appeared:
            self.cp.ns.ip("addr", "del", f"{LATE_ADDRESS}/32", "dev", "nodes")


def put_kubelet_in_package(node: Node, row: parts.Parts):
    """The image has kubelet as a .deb (zstd) in its cache, as images of Kubernetes 1.34 and later do, and not as a program."""
    name = f"kubelet_{row.version}-ubuntu24.04u1_amd64.deb"
    package_file = sandbox.run_dir() / name
    if not package_file.exists():
        tree = sandbox.run_dir() / "kubelet-package"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "usr/bin").mkdir(parents=True)
        shutil.copyfile(node.path(f"/opt/bin/kubelet-{row.version}"), tree / "usr/bin/kubelet")
        (tree / "usr/bin/kubelet").chmod(0o755)
        digest = subprocess.run(["md5sum", "usr/bin/kubelet"], cwd=tree, check=True, capture_output=True, text=True).stdout
        (tree / "DEBIAN/md5sums").write_text(digest)
        (tree / "DEBIAN/control").write_text(f"Package: kubelet\nVersion: {row.version}-ubuntu24.04u1\nArchitecture: amd64\nMaintainer: bench <bench@localhost>\nDescription: kubelet\n")
        subprocess.run(["dpkg-deb", "--build", "-Zzstd", "-z10", "--root-owner-group", tree, package_file], check=True, capture_output=True)
    node.path(f"/opt/bin/kubelet-{row.version}").unlink()
    node.copy_in(package_file, f"/opt/kubelet/downloads/{name}", 0o644)


def reached(node: Node) -> float:
    """When (monotonic) provisioning has reached the API server; 0 on a node without it."""
    record = node.path("/var/log/azure/aks-node-controller/trace.jsonl")
    lines = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    return next((line["t"] / 1e9 for line in lines if line.get("e") == "ended" and line["step"] == "apiserver.reach"), 0)


def limit_disk(node: Node):
    """The node reads as many bytes a second as from Azure's premium disk of 128 GB (P10) without its bursts. The disks of test machines are far
    faster, and would hide what a first boot waits for. The 500 reads a second of such a disk are not simulated: once the kernel has throttled a
    group by the number of its reads, it lets a single one through each 0.1 s, also if none is waiting."""
    device = os.stat(node.dir).st_dev
    whole = (Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve() / "../dev").resolve()
    number = whole.read_text().strip() if whole.exists() else f"{os.major(device)}:{os.minor(device)}"
    for cgroup in node.cgroups:
        if (cgroup / "blkio.throttle.read_bps_device").exists():
            (cgroup / "blkio.throttle.read_bps_device").write_text(f"{number} {DISK_BYTES}\n")
            return
        if (cgroup / "io.max").exists():
            (cgroup / "io.max").write_text(f"{number} rbps={DISK_BYTES}\n")
            return
    raise RuntimeError("this machine cannot limit the reads of a node: it has neither blkio.throttle nor io.max")


def drop_caches():
    """Drops the cache of this whole machine, because the node's disk is one of its file systems."""
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3\n")


def monotonic(wall: float) -> float:
    return wall - time.time() + time.monotonic()


def show(node: Node, unit: str, what: str) -> str:
    return node.run(["systemctl", "show", f"--property={what}", "--value", unit]).stdout.strip()
