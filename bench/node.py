#!/usr/bin/env python3
"""Races real nodes to NodeReady: Sunup's built-in steps against the floor and against a plain script. ./dev bench node calls it.

  floor   every file is in place already; only `systemctl daemon-reload; systemctl start --no-block containerd kubelet`
  sunup   aks-node-controller provision --mode native
  script  the same work as Sunup's, one command after the other, in bash (bench/script.sh)

Settled: each node has booted and come to rest, then the work is triggered; times count from the trigger. First boot: the
node gets its config as custom data, once as a boothook and once as cloud-init's write_files; times count from power-on.
Contestants take turns, so that a machine that gets busier or slower does so for all of them.

What is counted, on the whole node: programs started are execve calls; tasks are processes and threads created; CPU is
user and system time; bytes written are pages dirtied on disk files. "to exec" is from the trigger until kubelet's execve.
"""

import argparse
import collections
import json
import os
import queue
import shutil
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parent
sys.path.insert(0, str(REPO / "tests" / "e2e"))

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

CONFIG = "/opt/azure/containers/aks-node-controller-config.json"
COMPLETE = "/opt/azure/containers/provision.complete"
TRIGGER = """#!/bin/bash
echo "$EPOCHREALTIME" >/run/bench-trigger
"""
UNIT = """[Service]
Type=oneshot
ExecStart=/opt/bench/trigger
KillMode=process
"""
# What is raced, in the order of the README's table, and a line for whoever reads the figures.
MEANING = {
    "floor": "every file is in place; systemctl daemon-reload, then start --no-block containerd kubelet",
    "sunup": "aks-node-controller provision --mode native",
    "script": "the same work as sunup's, one command after the other, in bash",
}
WORK = {
    "floor": "systemctl daemon-reload\nsystemctl start --no-block containerd kubelet\n",
    "sunup": f"exec /opt/azure/containers/aks-node-controller provision --mode native --provision-config={CONFIG}\n",
    "script": "exec /bin/bash /opt/bench/script.sh /opt/bench/environment\n",
}
SETTLED_ROWS = {
    "containerd": ("containerd ready", "s"), "kubelet": ("kubelet started (exec)", "s"), "complete": ("provision.complete", "s"),
    "registered": ("registered", "s"), "ready": ("NodeReady", "s"), "pod": ("first pod running", "s"),
    "programs_exec": ("programs started, to exec", ""), "tasks_exec": ("tasks created, to exec", ""), "cpu_exec": ("CPU, to exec", "s"),
    "bytes_exec": ("bytes written, to exec", "kB"), "programs": ("programs started, in all", ""), "cpu": ("CPU, in all", "s"),
    "bytes": ("bytes written, in all", "kB"),
}
FIRST_BOOT_ROWS = {
    "controller": ("controller started", "s"), "kubelet": ("kubelet started (exec)", "s"), "ready": ("NodeReady", "s"),
    "pod": ("first pod running", "s"), "booted": ("boot finished", "s"),
}


def arguments():
    p = argparse.ArgumentParser(prog="bench node", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--boots", type=int, default=5, metavar="N", help="boots of each contestant (default: %(default)s)")
    p.add_argument("--only", default="floor,sunup,script,boothook,write-files", metavar="A,B", help="some of: %(default)s")
    p.add_argument("--parts", choices=parts.ROWS, default=parts.DEFAULT.name, metavar="ROW", help="what the nodes are made of (default: %(default)s)")
    p.add_argument("--format", choices=("text", "json"), default="text", help="json: medians, spread and ratios, with the versions of all parts")
    p.add_argument("--json", type=Path, metavar="FILE", help="also write every single figure here, and which programs were started")
    p.add_argument("--bin", type=Path, default=REPO / "out" / "bin", metavar="DIR", help="where the programs are (default: out/bin)")
    p.add_argument("--timeout", type=float, default=120, metavar="S", help="seconds a node has to become Ready (default: %(default)s)")
    return p.parse_args()


def main() -> int:
    args = arguments()
    if reason := run.cannot_run():
        return run.give_up(reason, 1)
    if not sandbox.inside():
        run.fill_cache(parts.ROWS[args.parts])
        return sandbox.run_inside([sys.executable, __file__, *sys.argv[1:]], keep=False)
    sandbox.settle_in()
    chosen = args.only.split(",")
    if unknown := [c for c in chosen if c not in (*WORK, "boothook", "write-files")]:
        print(f"bench: no contestant '{unknown[0]}'", file=sys.stderr)
        return 2
    control_plane = ControlPlane(sandbox.run_dir() / "control-plane")
    control_plane.start()
    race = Race(args, control_plane)
    results: dict[str, list[dict]] = {name: [] for name in chosen}
    for turn in range(args.boots):
        for name in chosen:
            figures = race.one(name, turn)
            results[name].append(figures)
            print(f"boot {turn + 1}/{args.boots} {name:12} ready after {figures['ready']:.2f} s", file=sys.stderr, flush=True)
    control_plane.stop()
    versions = images.versions(race.row) | {"control plane": parts.version(parts.CONTROL_PLANE)}
    if args.format == "json":
        print(json.dumps(summary(results, versions), indent=2))
    else:
        print(f"Debian {race.row.suite}, " + ", ".join(f"{name} {version}" for name, version in versions.items()))
        print_tables(results)
    if args.json:
        args.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0


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
            return self.settled(name, node, programs) if name in WORK else self.first_boot(name, node, programs)
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

    def settled(self, name: str, node: Node, programs: executions.Executions) -> dict:
        config = self.config(node)
        if name == "floor":
            floor.prepare(node, self.row)
        elif name == "sunup":
            package.install(node, self.args.bin, units=False)
        else:
            (node.dir / "config.json").write_text(config)
            argv = [self.args.bin / "sunup", "render", "env", "--config", node.dir / "config.json", "--format", "sh"]
            node.write("/opt/bench/environment", subprocess.run(argv, check=True, capture_output=True).stdout, 0o600)
            node.copy_in(HERE / "script.sh", "/opt/bench/script.sh")
        node.write(CONFIG, config, 0o600)
        node.write("/opt/bench/trigger", TRIGGER + WORK[name], 0o755)
        node.write("/etc/systemd/system/bench.service", UNIT)
        node.seed("#cloud-config\n{}\n")
        node.boot()
        node.wait_booted(self.args.timeout)
        gauge = meter.Meter(node)
        try:
            return self._measure(name, node, programs, gauge)
        finally:
            gauge.close()

    def _measure(self, name: str, node: Node, programs: executions.Executions, gauge: meter.Meter) -> dict:
        joining, pod = Joining(self.cp.api, node.name, self.args.timeout), FirstPod(self.cp, node.name, self.args.timeout)
        kubelet = programs.first("kubelet")
        before = gauge.sample()
        node.run(["systemctl", "start", "--no-block", "bench.service"])
        kubelet_at = kubelet.get(timeout=self.args.timeout)
        at_exec = gauge.sample()
        registered, ready = joining.result()
        running = pod.result()
        complete = None
        if name != "floor":
            node.wait_for_path(COMPLETE, self.args.timeout)
            complete = monotonic(node.path(COMPLETE).stat().st_mtime)
        at_end = gauge.sample()
        trigger = monotonic(float(node.read("/run/bench-trigger")))
        containerd = int(show(node, "containerd", "ActiveEnterTimestampMonotonic")) / 1e6
        end = max(ready, complete or 0)
        figures = {"containerd": containerd - trigger, "kubelet": kubelet_at - trigger, "registered": registered - trigger, "ready": ready - trigger, "pod": running - trigger,
                   "programs_exec": len(programs.between(trigger, kubelet_at)), "programs": len(programs.between(trigger, end))}
        figures["which"] = dict(collections.Counter(os.path.basename(p) for p in programs.between(trigger, kubelet_at)).most_common())
        if complete:
            figures["complete"] = complete - trigger
        for key, unit in {"cpu": 1, "tasks": 1, "bytes": 1024}.items():
            figures[f"{key}_exec"] = (at_exec[key] - before[key]) / unit
            figures[key] = (at_end[key] - before[key]) / unit
        return figures

    def first_boot(self, form: str, node: Node, programs: executions.Executions) -> dict:
        package.install(node, self.args.bin)
        (node.dir / "config.json").write_text(self.config(node))
        argv = [self.args.bin / "sunup", "render", "custom-data", "--config", node.dir / "config.json", "--encoding", "none", "--form", form]
        node.seed("")
        node.write("/var/lib/cloud/seed/nocloud/user-data", subprocess.run(argv, check=True, capture_output=True).stdout, 0o600)
        controller, kubelet = programs.first("aks-node-controller"), programs.first("kubelet")
        joining, pod = Joining(self.cp.api, node.name, self.args.timeout), FirstPod(self.cp, node.name, self.args.timeout)
        node.boot()
        _, ready = joining.result()
        booted = node.wait_booted(self.args.timeout)
        times = {"controller": controller.get(timeout=1), "kubelet": kubelet.get(timeout=1), "ready": ready, "pod": pod.result()}
        return {**{k: v - node.booted_at for k, v in times.items()}, "booted": booted}


class FirstPod:
    """A pod that waits for the node from before it is there; when it runs."""

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


def monotonic(wall: float) -> float:
    return wall - time.time() + time.monotonic()


def show(node: Node, unit: str, what: str) -> str:
    return node.run(["systemctl", "show", f"--property={what}", "--value", unit]).stdout.strip()


# What the README quotes: figure, contestant, and what it is divided by.
RATIOS = (("kubelet", "sunup", "floor"), ("ready", "sunup", "floor"), ("pod", "sunup", "floor"), ("kubelet", "script", "sunup"),
          ("complete", "script", "sunup"), ("ready", "script", "sunup"), ("cpu_exec", "script", "sunup"))


def summary(results: dict[str, list[dict]], versions: dict[str, str]) -> dict:
    """The same figures for programs. Seconds, kB and counts, from the trigger (settled nodes) or from power-on."""
    figures = {}
    for name, runs in results.items():
        for key, (_, unit) in (SETTLED_ROWS if name in WORK else FIRST_BOOT_ROWS).items():
            if values := sorted(r[key] for r in runs if key in r):
                figures.setdefault(name, {})[key] = {
                    "median": statistics.median(values), "least": values[0], "most": values[-1], "unit": unit or "count", "boots": len(values)}
    ratios = [{"figure": key, "of": above, "to": below, "ratio": figures[above][key]["median"] / figures[below][key]["median"]}
              for key, above, below in RATIOS if key in figures.get(above, {}) and key in figures.get(below, {})]
    return {"versions": versions, "figures": figures, "ratios": ratios}


def print_tables(results: dict[str, list[dict]]):
    settled = {k: v for k, v in results.items() if k in WORK}
    if settled:
        print("Settled node, from the trigger (median, smallest..largest):")
        for name in settled:
            print(f"  {name:7} {MEANING[name]}")
        print_table(SETTLED_ROWS, settled)
        for name in ("sunup", "script"):
            if name in settled and "floor" in settled:
                told = [f"{label} {ratio(settled, key, name, 'floor')}x" for key, label in (("kubelet", "kubelet's exec"), ("ready", "NodeReady"))]
                print(f"{name} / floor: {', '.join(told)}")
        if "sunup" in settled and "script" in settled:
            labels = (("kubelet", "kubelet's exec"), ("complete", "provision.complete"), ("ready", "NodeReady"), ("cpu_exec", "CPU to exec"))
            told = [f"{label} {ratio(settled, key, 'script', 'sunup')}x" for key, label in labels]
            print(f"script / sunup: {', '.join(told)}")
    first = {k: v for k, v in results.items() if k not in WORK}
    if first:
        print("\nFirst boot, from power-on (median, smallest..largest):")
        print_table(FIRST_BOOT_ROWS, first)
        if len(first) == 2:
            saved = {key: median(first, key, "write-files") - median(first, key, "boothook") for key in ("controller", "kubelet", "ready")}
            print(f"the boothook saves: {saved['controller']:.2f} s until the controller starts, {saved['kubelet']:.2f} s until kubelet's exec, "
                  f"{saved['ready']:.2f} s until NodeReady")


def print_table(rows: dict, results: dict[str, list[dict]]):
    print(f"{'':28}" + "".join(f"{name:>26}" for name in results))
    for key, (label, unit) in rows.items():
        cells = []
        for runs in results.values():
            values = sorted(r[key] for r in runs if key in r)
            digits = 3 if unit == "s" else 0
            cells.append(f"{statistics.median(values):.{digits}f} ({values[0]:.{digits}f}..{values[-1]:.{digits}f})" if values else "-")
        print(f"{label + (f' [{unit}]' if unit else ''):28}" + "".join(f"{c:>26}" for c in cells))


def median(results: dict, key: str, name: str) -> float:
    return statistics.median(r[key] for r in results[name])


def ratio(results: dict, key: str, above: str, below: str) -> str:
    return f"{median(results, key, above) / median(results, key, below):.2f}"


if __name__ == "__main__":
    sys.exit(main())
