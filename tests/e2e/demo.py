#!/usr/bin/env python3
"""Shows a node from power-on to its first running pod, as it happens. Usually called by ./dev demo."""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

import images
import k8s
import nodeconfig
import package
import parts
import pods
import run
import sandbox
from controlplane import DOMAIN, ControlPlane
from kubeapi import Joining
from node import Node
from pool_demo import PoolDemo
from stand_in_plane import StandInPlane
from story import Story, bold, title

REPO = Path(__file__).resolve().parents[2]
NAME = "demo"
AZURE = "/opt/azure/containers"
RESULT = "/var/log/azure/aks/provision.json"
EVENTS = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events"


def arguments():
    p = argparse.ArgumentParser(prog="demo", description=__doc__)
    p.add_argument("--quick", action="store_true", help="no Kubernetes: stop when a stand-in for kubelet was started")
    p.add_argument("--keep", action="store_true", help="leave the node running until Enter or Ctrl-C")
    p.add_argument("--from-nodepool", action="store_true", help="the node's custom data comes from a NodePool and its AKSNodeClass, through sunup resolve")
    p.add_argument("--short", action="store_true", help="end with the result, without the timeline and what to try next")
    p.add_argument("--bin", type=Path, default=REPO / "out" / "bin", metavar="DIR")
    p.add_argument("--timeout", type=float, default=300, metavar="S", help="how long to wait for the node (default: %(default)s)")
    return p.parse_args()


def main() -> int:
    args = arguments()
    if args.quick and args.from_nodepool:
        print("demo: --from-nodepool asks a real cluster: not with --quick", file=sys.stderr)
        return 2
    if reason := run.cannot_run():
        return run.give_up(reason, 1)
    if not sandbox.inside():
        images.ensure()
        if not args.quick:
            if not all(program.exists() for program in (k8s.control_plane(), k8s.kubelet(parts.DEFAULT))):
                title("Kubernetes is still being compiled. Meanwhile: the same node with a stand-in for kubelet and the control plane")
                sandbox.run_inside([sys.executable, __file__, "--quick", "--short", "--bin", args.bin], keep=False)
                title("Now with the real Kubernetes")
            run.fill_cache(parts.DEFAULT)
        return sandbox.run_inside([sys.executable, __file__, *sys.argv[1:]], keep=False)
    sandbox.settle_in()
    return Demo(args).run()


class Demo:
    def __init__(self, args):
        self.args, self.story = args, Story()
        directory = sandbox.run_dir() / "control-plane"
        self.cp = StandInPlane(directory) if args.quick else ControlPlane(directory)
        kubernetes = images.stand_in_layer(sandbox.run_dir() / "stand-in") if args.quick else images.kubernetes_layer()
        self.layers = [kubernetes, images.ensure()]

    def run(self) -> int:
        title("A control plane" + (": a stand-in that answers HTTPS and keeps nothing (--quick)" if self.args.quick else
                                   f": etcd and Kubernetes {parts.version(parts.CONTROL_PLANE)}"))
        begin = time.monotonic()
        self.cp.start()
        print(f"  up in {time.monotonic() - begin:.1f} s")
        self.node = Node(NAME, self.layers, self.cp, sandbox.run_dir() / NAME)
        self.pool = PoolDemo(self.node, self.cp, self.args.bin, parts.DEFAULT)
        try:
            self.make_custom_data()
            good = self.boot_and_watch()
            self.show_result()
            if good and self.args.from_nodepool:
                good = self.pool.compare()
            if not self.args.short:
                self.show_timeline()
                self.next_steps(good)
            if self.args.keep:
                self.wait_for_person()
        finally:
            self.node.remove()
            self.cp.stop()
        return 0 if good else 1

    def make_custom_data(self):
        package.install(self.node, self.args.bin)
        self.node.seed("")
        if self.args.from_nodepool:
            custom_data = self.pool.custom_data()
        else:
            title("Its custom data, made by sunup from a node config")
            text = nodeconfig.text(parts.DEFAULT, self.node.cgroup_v2, self.cp, NAME, f"{NAME}.{DOMAIN}")
            config = self.node.dir / "config.json"
            config.write_text(text)
            self.sunup("config", "check", config)
            custom_data = self.sunup("render", "custom-data", "--config", config, "--encoding", "none")
        self.node.write("/var/lib/cloud/seed/nocloud/user-data", custom_data, 0o600)
        print(f"  {len(custom_data)} bytes; cloud-init's boothook will put the config in place and start aks-node-controller")

    def sunup(self, *words) -> bytes:
        print(f"  $ sunup {' '.join(getattr(w, 'name', w) for w in words)}")
        return subprocess.run([self.args.bin / "sunup", *words], check=True, stdout=subprocess.PIPE).stdout

    # -- events

    def boot_and_watch(self) -> bool:
        versions = images.versions(parts.DEFAULT) | ({"kubelet": "(a stand-in)"} if self.args.quick else {})
        title(f"A node is switched on: Debian {parts.DEFAULT.suite}, {', '.join(f'{name} {version}' for name, version in versions.items())}")
        story, node = self.story, self.node
        programs = node.executions()
        starts = [(programs.first(name), what) for name, what in (
            ("cloud-init", "cloud-init starts"), ("aks-node-controller", "controller starts"),
            ("kubelet", "kubelet starts"))]
        if not self.args.quick:
            Joining(self.cp.api, NAME, self.args.timeout, self.heard_from_cluster)
            pod = pods.Pod(self.cp, NAME, self.args.timeout)
            pod.create_for_later()
            self.background(lambda: (pod.wait_running(), story.tell("first pod running", "of a DaemonSet; its images were pulled from a registry")))
        node.boot()
        story.begin = node.booted_at
        story.tell("power on", "PID 1 is systemd")
        for box, what in starts:
            self.background(lambda b=box, w=what: story.tell(w, when=b.get(timeout=self.args.timeout)))
        for path, what, detail in (
                (f"{AZURE}/aks-node-controller-config.json", "config in place", "written by the boothook"),
                ("/run/containerd/containerd.sock", "containerd listens", ""),
                ("/var/lib/kubelet/pki/kubelet-client-current.pem", "client certificate", "issued by the cluster: TLS bootstrap is through"),
                (f"{AZURE}/provision.complete", "provision complete", "the result is in provision.json")):
            self.background(lambda p=path, w=what, d=detail: (node.wait_for_path(p, self.args.timeout), story.tell(w, d)))
        self.background(lambda: (node.wait_booted(self.args.timeout), story.tell("boot finished", "multi-user.target")))
        last = ("kubelet starts",) if self.args.quick else ("NodeReady", "first pod running")
        good = story.wait(*last, "provision complete", timeout=self.args.timeout)
        # Later times do not matter, but the event belongs to the picture.
        story.wait("boot finished", timeout=30)
        programs.close()
        if not good:
            print(f"\n  {bold('This did not work.')} What the controller says:\n{run.read_if_there(node, '/var/log/azure/aks-node-controller.log')[-3000:]}")
        return good and self.exit_code() == "0"

    def heard_from_cluster(self, what: str):
        self.story.tell({"registered": "node registered", "ready": "NodeReady"}[what], "seen by the API server")

    @staticmethod
    def background(work):
        def quietly():
            try:
                work()
            except Exception:
                pass  # it did not happen; the code that waits for it reports this

        threading.Thread(target=quietly, daemon=True).start()

    # -- the result

    def exit_code(self) -> str:
        try:
            return json.loads(self.node.read(RESULT))["ExitCode"]
        except (OSError, ValueError, KeyError):
            return "unknown"

    def show_result(self):
        title("The result")
        if text := run.read_if_there(self.node, RESULT):
            (self.node.dir / "provision.json").write_text(text)
            subprocess.run([self.args.bin / "sunup", "status", "parse", self.node.dir / "provision.json"], check=False)
        if self.args.quick:
            arguments = run.read_if_there(self.node, "/run/kubelet-arguments").splitlines()
            print(f"  {bold('kubelet here is a stand-in:')} it was started with the {len(arguments)} arguments below, and joins no cluster.")
            for a in arguments:
                print(f"    {a}")
            return
        print(self.cp.kubectl("get", "nodes", "-o", "wide", check=False))

    def show_timeline(self):
        title("The timeline")
        told = self.node.run([package.CONTROLLER, "timeline"], check=False)
        print(told.stdout if told.returncode == 0 and told.stdout.strip() else self.own_timeline())

    def own_timeline(self) -> str:
        """Milestones as seen from outside and the steps that the node recorded (guest-agent events), on one axis."""
        offset = time.time() - time.monotonic() + self.story.begin
        rows = [(at, at, what) for at, what in self.story.told]
        for file in sorted(self.node.path(EVENTS).glob("*.json")):
            event = json.loads(file.read_text())
            begin, end = (datetime.fromisoformat(event[k]).timestamp() - offset for k in ("Timestamp", "OperationId"))
            rows.append((begin, end, event["TaskName"].removeprefix("AKS.CSE.")))
        width, last = 60, max(end for _, end, _ in rows)
        lines = []
        for begin, end, what in sorted(rows):
            left, size = round(begin / last * width), round((end - begin) / last * width)
            lines.append(f"  {begin:6.2f} s  {what:34.34} {' ' * left}{'█' * size if size else '│'}")
        return "\n".join(lines)

    def next_steps(self, good: bool):
        title("What to try next")
        kept = "" if self.args.keep else "    ./dev demo --keep                leaves the node running, to look around in it\n"
        real = "    ./dev demo                       the same with a real control plane and kubelet, until a pod runs\n" if self.args.quick else ""
        print(f"{real}{kept}"
              "    ./dev e2e --list                 the other things nodes go through here; ./dev e2e NAME runs one\n"
              "    ./dev bench node                 how fast this is, beside the best possible and beside a plain script\n"
              "    out/bin/sunup config explain     what can be configured, and where on the node it ends up\n"
              "    out/bin/sunup exit-code 51       what a failed provision means and what to do")

    def wait_for_person(self):
        pid = sandbox.outside_pid(self.node.leader)
        print(f"\nThe node keeps running. In another terminal:\n"
              f"    nsenter --all --target {pid} bash          a shell on it; try: systemctl status kubelet, journalctl -u kubelet,\n"
              f"                                                {package.CONTROLLER} timeline")
        if not self.args.quick:
            kubectl = f"nsenter --all --target {sandbox.outside_pid(os.getpid())} {' '.join(map(str, self.cp.kubectl_command()))}"
            print(f"    {kubectl} get nodes")
        print("Enter or Ctrl-C ends it.", flush=True)
        try:
            sys.stdin.readline()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    sys.exit(main())
