#!/usr/bin/env python3
"""Boots real nodes with a real control plane and checks the expectations of the cases. Usually called by ./dev e2e."""

import argparse
import concurrent.futures
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

import azuredisk
import case as cases
import images
import k8s
import kernel
import parts
import qemu
import sandbox
import vm
from controlplane import ControlPlane
from machine import Machine
from node import Node

REPO = Path(__file__).resolve().parents[2]
VM_TOOLS = ("depmod", "sshfs")
TOOLS = ("systemd-nspawn", "mmdebstrap", "unshare", "nsenter", "ip", "openssl", "mke2fs")


def arguments():
    p = argparse.ArgumentParser(prog="e2e", description=__doc__, epilog="example: ./dev e2e golden pods --parts next --jobs 2")
    p.add_argument("case", nargs="*", help="cases to run (default: all)")
    p.add_argument("--list", action="store_true", help="name the rows of parts and the cases, and stop")
    p.add_argument("--parts", choices=[*parts.ROWS, "all"], metavar="ROW", help="what the nodes are made of (default: what each case asks for)")
    p.add_argument("--vm", action="store_true", help="nodes in virtual machines (QEMU) instead of containers; without names, the cases fit for that")
    p.add_argument("--jobs", type=int, metavar="N", help="nodes at the same time (default: two for each processor; in virtual machines: 1)")
    p.add_argument("--keep", action="store_true", help="leave the nodes running until Enter or Ctrl-C, and their disks and logs for good")
    p.add_argument("--bin", type=Path, default=REPO / "out" / "bin", metavar="DIR", help="where the programs under test are (default: out/bin)")
    args = p.parse_args()
    # A node waits most of the time: a case uses a processor for a fifth of its duration.
    args.jobs = args.jobs or (1 if args.vm else 2 * (os.cpu_count() or 1))
    return args


def main() -> int:
    args = arguments()
    known = {c.name: c for c in cases.all_cases()}
    if args.list:
        for row in parts.ROWS.values():
            print(f"--parts {row.name:12} {row.describe()}{' (default)' if row == parts.DEFAULT else ''}")
        for c in known.values():
            print(f"{c.name:20} {c.settings.get('summary', '')}{' (needs --vm)' if c.vm is True else ''}")
        return 0
    for name in args.case:
        if name not in known:
            print(f"e2e: no case '{name}'; there are: {', '.join(known)}", file=sys.stderr)
            return 2
    asked = [known[name] for name in dict.fromkeys(args.case)] or [c for c in known.values() if c.vm or not args.vm]
    fit = [c for c in asked if args.vm or c.vm is not True]
    wanted = [(c, row) for c in fit for row in rows_of(c, args)]
    chosen = [(c, row) for c, row in wanted if not refuses_to_start(c, row, args)]
    if not sandbox.inside():
        say_left_out(f"not on {args.parts}, because they depend on another row", [c for c in fit if not rows_of(c, args)])
        say_left_out("because kubelet 1.35 and later does not run on cgroup v1, which this machine uses", [c for c, row in wanted if (c, row) not in chosen])
        say_left_out("only with --vm, because they need a kernel of their own", [c for c in asked if c not in fit])
    if not chosen:
        print("0 passed, 0 failed")
        return 0
    if reason := cannot_run(args.vm):
        return give_up(reason, len(chosen))
    if not sandbox.inside():
        fill_cache(*dict.fromkeys(row for _, row in chosen), programs={name for c, _ in chosen for name in c.programs})
        if args.vm:
            try:
                qemu.program()
            except (OSError, RuntimeError, subprocess.CalledProcessError) as e:
                return give_up(f"virtual machines need QEMU of Debian {qemu.SUITE}, and it cannot be had: {(str(e).splitlines() or [repr(e)])[-1]}", len(chosen))
            for suite in {row.suite for c, row in chosen if c.azure_disk}:
                azuredisk.tools(suite)
            say_accelerator([kernel.ensure(suite) for suite in dict.fromkeys(row.suite for _, row in chosen)])
        return sandbox.run_inside([sys.executable, __file__, *sys.argv[1:]], args.keep)
    sandbox.settle_in()
    return Run(args).run(chosen)


def say_left_out(why: str, left_out: list[cases.Case]):
    if left_out:
        print(f"e2e: left out, {why}: {', '.join(c.name for c in left_out)}", file=sys.stderr)


def rows_of(case: cases.Case, args) -> list[parts.Parts]:
    if args.parts is None:
        # A virtual machine takes minutes: one row, unless more are requested.
        return case.rows[:1] if args.vm else case.rows
    return [row for row in (parts.ROWS.values() if args.parts == "all" else [parts.ROWS[args.parts]]) if case.runs_on(row)]


def refuses_to_start(case: cases.Case, row: parts.Parts, args) -> bool:
    return case.needs_cgroup_v2 and row.minor >= 35 and not args.vm and not Node.cgroup_v2


def fill_cache(*rows: parts.Parts, programs: set[str] = frozenset()):
    """Prepares what takes long, outside the sandbox: the cache is permanent, and apt needs the whole machine."""
    k8s.etcd()
    # The default row's image also contains the sources of the registry's images.
    for row in dict.fromkeys((parts.DEFAULT, *rows)):
        images.ensure(row)
    k8s.ensure(k8s.control_plane(), *map(k8s.kubelet, rows), *map(k8s.extra, sorted(programs)))


def say_accelerator(kernels: list[kernel.Kernel]):
    """Finds out, too, once for all nodes of the run."""
    how = "with KVM" if all(qemu.has_kvm(k) for k in kernels) else "in software (no guest boots with KVM here): minutes a boot"
    print(f"virtual machines run {how}", file=sys.stderr)


def cannot_run(virtual: bool = False) -> str | None:
    if os.geteuid() != 0:
        return "real nodes need root"
    missing = [t for t in TOOLS + (VM_TOOLS if virtual else ()) if not shutil.which(t)]
    return f"real nodes need {', '.join(missing)} (./dev deps node{' vm' if virtual else ''})" if missing else None


def give_up(reason: str, count: int) -> int:
    # In CI, a check that did not run must not look like one that passed.
    must = os.environ.get("CI") == "true"
    print(f"e2e: {'failed' if must else 'skipped'}: {reason}", file=sys.stderr)
    print(f"0 passed, {count} failed" if must else f"0 passed, 0 failed, {count} skipped")
    return 1 if must else 0


class Run:
    def __init__(self, args):
        self.args = args
        self.cp = ControlPlane(sandbox.run_dir() / "control-plane")
        self.nodes: list[Machine] = []

    def run(self, chosen: list[tuple[cases.Case, parts.Parts]]) -> int:
        begin = time.monotonic()
        self.cp.start()
        print(f"control plane up in {time.monotonic() - begin:.1f} s", file=sys.stderr)
        results = [self.one(c, row) for c, row in chosen if c.stops_api_server]
        others = sorted(((c, row) for c, row in chosen if not c.stops_api_server), key=lambda c: -c[0].timeout)
        with concurrent.futures.ThreadPoolExecutor(max(1, self.args.jobs)) as pool, concurrent.futures.ThreadPoolExecutor(max(1, len(chosen))) as bench:
            # Cases that mostly wait all run beside the others (a waiting virtual machine still needs its memory); the long ones start first.
            idle = [(c, row) for c, row in others if c.idle and not self.args.vm]
            try:
                together = [bench.submit(self.one, c, row) for c, row in idle]
                results += [self.one(c, row) for c, row in others if c.alone]
                together += [pool.submit(self.one, c, row) for c, row in others if not c.alone and (c, row) not in idle]
                results += [t.result() for t in together]
            except KeyboardInterrupt:
                print("e2e: interrupted", file=sys.stderr)
                # Everything is in this process's namespaces and ends with it; the outer process cleans up the rest.
                os._exit(130)
        if self.args.keep:
            self.wait_for_person()
        self.cp.stop()
        passed = sum(results)
        print(f"{passed} passed, {len(results) - passed} failed")
        return 0 if passed == len(results) else 1

    def one(self, case: cases.Case, row: parts.Parts) -> bool:
        begin = time.monotonic()
        name = case.name if row == case.rows[0] else f"{case.name}-{row.name}"
        node = self.make_node(name, row)
        self.nodes.append(node)
        trial = cases.Trial(case.slowed(node.slowness), row, node, self.cp, self.args.bin)
        # A node that ends unexpectedly ends the case, whatever the case waits for. Its thread then runs until its timeout.
        outcome: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        node.when_lost = lambda: outcome.put("the node ended by itself")
        threading.Thread(target=lambda: outcome.put(problem_of(trial)), daemon=True).start()
        problem = outcome.get()
        if problem is not None:
            problem = node.why_lost() or problem
        times = ", ".join(f"{k} {v:.2f}" for k, v in sorted(trial.times.items(), key=lambda t: t[1]))
        line = f"{'FAIL' if problem else 'PASS'} {name:20} {time.monotonic() - begin:6.1f} s  {f'({times} s)' if times else ''}"
        print("\n".join([line.rstrip(), *([report(trial, problem)] if problem else [])]), flush=True)
        if not self.args.keep:
            node.remove()
            self.cp.kubectl("delete", "node", node.name, "--ignore-not-found", "--wait=false", check=False)
            shutil.rmtree(node.dir, ignore_errors=True)
        return problem is None

    def make_node(self, name: str, row: parts.Parts) -> Machine:
        layers, directory = [images.kubernetes_layer(row), images.ensure(row)], sandbox.run_dir() / name
        if self.args.vm:
            return vm.VirtualNode(name, layers, self.cp, directory, kernel.ensure(row.suite))
        return Node(name, layers, self.cp, directory)

    def wait_for_person(self):
        for node in self.nodes:
            if node.is_on:
                print(f"on {node.name}: {node.shell_hint()}", file=sys.stderr)
        print("nodes keep running; Enter or Ctrl-C ends them", file=sys.stderr)
        try:
            sys.stdin.readline()
        except KeyboardInterrupt:
            pass
        for node in self.nodes:
            node.remove()


def problem_of(trial: cases.Trial) -> str | None:
    try:
        trial.prepare()
        if drive := trial.case.hook("drive"):
            drive(trial)
        else:
            trial.boot()
        trial.run_expectations()
        if check := trial.case.hook("check"):
            check(trial)
        trial.finish()
    except (cases.Failure, TimeoutError, subprocess.TimeoutExpired) as e:
        return str(e)
    except Exception:
        return traceback.format_exc()
    return None


def report(trial: cases.Trial, problem: str) -> str:
    """Why a case failed, and the relevant logs of the node."""
    node, told = trial.node, [("what failed", problem)]
    for path in ("/var/log/azure/aks-node-controller.log", "/var/log/azure/aks-node-controller.output", "/var/log/azure/cluster-provision.log",
                 "/var/log/azure/aks/provision.json", "/var/log/cloud-init-output.log"):
        if (text := read_if_there(node, path)).strip():
            told.append((path, "\n".join(text.splitlines()[-25:])[-6000:]))
    told.append(("kubelet and containerd", node.journal("--lines=25", "--unit=kubelet.service", "--unit=containerd.service")))
    told.append(("node journal", node.journal("--lines=40", "--priority=info")))
    told.append(("console", node.console_tail() if (node.dir / "console.log").exists() else ""))
    lines = []
    for title, text in told:
        if text.strip():
            lines += [f"  -- {title}", *(f"     {line[:300]}" for line in text.strip().splitlines())]
    return "\n".join(lines)


def read_if_there(node: Machine, path: str) -> str:
    try:
        return node.read(path)
    except OSError:
        return ""


if __name__ == "__main__":
    sys.exit(main())
