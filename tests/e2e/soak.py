#!/usr/bin/env python3
"""Provisions real nodes repeatedly with random faults, until it is stopped. Usually called by ./dev test soak.

A round resets a node, draws faults, starts provisioning, and then checks what must hold for
every provisioned node (validators.py). The faults, often several at once:

  kills         SIGKILL of the controller at random moments, up to ten in one provision
  power         the power fails once; the node boots again on the same disk
  full disk     a directory that the provision writes to is full for a while; the provision is started again if it has failed by then
  IMDS          the metadata service is slow, resets connections, or answers rubbish, some times; or nothing listens for a while
  API server    what the node sends to the API server is lost for a while

Everything is drawn from the seed and the number of the round: --seed S --round N plays one round again. (Moments are drawn; what the
node does in a moment depends on the machine.) A round that ends wrong is reported with the node's logs, and the next round gets a new node.
"""

import argparse
import contextlib
import dataclasses
import itertools
import json
import os
import queue
import random
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import case as cases
import parts
import pods
import run as runner
import sandbox
from again import COMPLETE, SERVICE, reset
from azure import IMDS
from controlplane import ControlPlane
from node import Node

LAUNCH = ["/opt/azure/containers/aks-node-controller", "provision",
          "--provision-config=/opt/azure/containers/aks-node-controller-config.json"]
RESULT = "/var/log/azure/aks/provision.json"
UNFINISHED = "/opt/azure/containers/.provision.unfinished"
# Directories that provisioning writes to and that are empty before it.
FILLED = ("/etc/kubernetes", "/etc/systemd/system/kubelet.service.d", "/var/lib/sunup", "/etc/containerd", "/var/log/azure")
# The real unit waits a second before a restart and gives up after ten; a soak has no time for the former and more kills than the latter.
IMPATIENT = "[Unit]\nStartLimitIntervalSec=0\n[Service]\nRestartSec=50ms\n"


@dataclasses.dataclass
class Plan:
    """The faults of a round. Times are fractions of the duration of a run without faults."""
    kills: list[float]  # each after the start of the controller that it ends
    power: float | None
    full: tuple[str, float] | None  # directory, seconds
    imds: list[dict]
    refused: float | None  # seconds in which nothing listens at the address of the metadata service
    cable: tuple[float, float] | None  # fraction, seconds

    @classmethod
    def draw(cls, seed: int, number: int) -> "Plan":
        dice = random.Random(f"{seed}/{number}")
        answers = ({"status": 500}, {"status": 429}, {"status": 404}, {"body": "rubbish"}, {"body": "{}"}, {"delay": 0.7}, {"reset": True})
        power = dice.uniform(0, 1) if dice.random() < 0.06 else None
        full = (dice.choice(FILLED), dice.uniform(0.1, 2)) if dice.random() < 0.15 else None
        refused = dice.uniform(0.1, 2) if dice.random() < 0.1 else None
        return cls(
            # Rather early than late: what is killed late is nearly done, and there is nothing to kill after that.
            kills=[dice.uniform(0, 1) ** 2 for _ in range(dice.randint(1, 10))],
            power=power,
            full=None if power is not None else full,  # a power cut would take what is in the full file system
            imds=[{**dice.choice(answers), "times": 1} for _ in range(dice.randint(1, 3))] if dice.random() < 0.3 else [],
            refused=refused if power is None else None,  # a node that boots brings its services
            cable=(dice.uniform(0, 1), dice.uniform(0.1, 1.5)) if dice.random() < 0.25 else None)

    def may_fail(self) -> bool:
        """Whether a provision of this round may report a failure. Kills and power cuts alone are no reason for one."""
        return bool(self.full or self.imds or self.refused or self.cable)

    def __str__(self):
        words = ["kills at " + ", ".join(f"{k:.3f}" for k in self.kills)]
        words += [f"power cut at {self.power:.3f}"] if self.power is not None else []
        words += [f"{self.full[0]} full for {self.full[1]:.1f} s"] if self.full else []
        words += ["IMDS: " + json.dumps(self.imds)] if self.imds else []
        words += [f"nothing listens for IMDS for {self.refused:.1f} s"] if self.refused else []
        words += [f"no network at {self.cable[0]:.3f} for {self.cable[1]:.1f} s"] if self.cable else []
        return "; ".join(words)


@dataclasses.dataclass
class Counts:
    rounds: int = 0
    kills: int = 0
    late: int = 0  # kills that came when the controller had ended
    after_result: int = 0  # kills of a controller that did its deferred steps
    power_cuts: int = 0
    full_disks: int = 0
    failures: int = 0  # provisions that reported a failure and were started again
    imds: int = 0
    cables: int = 0
    wrong: list = dataclasses.field(default_factory=list)

    def __str__(self):
        return (f"{self.rounds} rounds, {self.kills} kills ({self.after_result} after the result, {self.late} more came too late), {self.power_cuts} power cuts, "
                f"{self.full_disks} full disks, {self.imds} times IMDS trouble, {self.cables} times no network, {self.failures} reported failures; "
                f"{len(self.wrong)} wrong" + (f": rounds {' '.join(map(str, sorted(self.wrong)))}" if self.wrong else ""))


class Patient:
    """A node that suffers one round after the other."""

    def __init__(self, name: str, soak: "Soak"):
        row = parts.ROWS[soak.args.parts]
        self.soak, self.node = soak, Node(name, [runner.images.kubernetes_layer(row), runner.images.ensure(row)], soak.cp, sandbox.run_dir() / name)
        self.trial = cases.Trial(cases.Case(cases.HERE / "cases/killed"), row, self.node, soak.cp, soak.args.bin)
        self.trial.prepare()
        self.node.write(f"/etc/systemd/system/{SERVICE}.d/50-soak.conf", IMPATIENT)
        self.programs = self.node.executions()
        self.node.boot()
        self.settle()
        self.length = self.calm_length()

    def settle(self):
        self.trial.wait_ready()
        self.node.wait_for_path(COMPLETE, self.trial.case.timeout)
        self.node.wait_booted(self.trial.case.timeout)

    def calm_length(self) -> float:
        """The seconds from the controller's start to its end, if nothing goes wrong."""
        reset(self.trial)
        box = self.programs.first("aks-node-controller")
        self.node.run(["systemctl", "start", SERVICE], timeout=120)
        length = time.monotonic() - box.get(timeout=60)
        self.settle()
        return length

    def remove(self):
        self.programs.close()
        self.node.remove()
        self.soak.cp.kubectl("delete", "node", self.node.name, "--ignore-not-found", "--wait=false", check=False)
        shutil.rmtree(self.node.dir, ignore_errors=True)

    # -- a round

    def suffer(self, plan: Plan, counts: Counts):
        for directory in FILLED:
            self.node.run(["umount", "-l", directory], check=False)
        reset(self.trial)
        self.node.azure.imds.script(plan.imds)
        counts.imds += bool(plan.imds or plan.refused)
        timers = [self.fill(plan.full, counts)] if plan.full else []
        if plan.refused:
            self.node.azure.imds.stop()
            timers.append(started(threading.Timer(plan.refused, self.node.azure.imds.start, (self.node.ns, IMDS, 80))))
        begin = self.programs.first("aks-node-controller")
        self.node.run(["systemctl", "start", "--no-block", SERVICE])
        start = begin.get(timeout=60)
        if plan.cable:
            timers += self.unplug(start, plan.cable)
            counts.cables += 1
        power = start + plan.power * self.length if plan.power is not None else None
        for fraction in plan.kills:
            moment = start + fraction * self.length
            if power is not None and power < moment:
                power = self.cut_power(power, counts)
            again = self.programs.first("aks-node-controller")
            hit = self.kill_at(moment, counts)
            if not hit:
                break
            if (next_start := self.next_start(again)) is None:
                break
            start = next_start
        if power is not None:
            self.cut_power(power, counts)
        for timer in timers:
            timer.join()
        self.recover(plan, counts)

    def recover(self, plan: Plan, counts: Counts):
        """Nothing goes wrong any more: a failure that was reported is retried, and the node becomes what it should be."""
        t = self.trial
        self.node.wait_for_path(COMPLETE, t.case.timeout)
        if self.node.exists(RESULT):
            status = json.loads(self.node.read(RESULT))
        else:  # there was no room for it
            t.check(plan.full is not None and RESULT.startswith(plan.full[0]), "provisioning has ended without a result")
            status = {"ExitCode": "240", "Error": "no result", "FailedStep": "result"}
        if status["ExitCode"] != "0":
            counts.failures += 1
            t.check(plan.may_fail(), f"a failure was reported although nothing but kills happened: {json.dumps(status)[:1500]}")
            named = status.get("FailedStep") or (plan.full and plan.full[0] in status.get("Error", ""))
            t.check(named, f"the failure names neither a step nor the full directory: {json.dumps(status)[:1500]}")
            done = self.node.run(LAUNCH, timeout=t.case.timeout, check=False)
            t.check(done.returncode == 0, f"after the failure {status.get('Error')!r} a new attempt failed: {done.stderr[-1500:]}")
            self.node.run(["systemctl", "reset-failed"])
        t.wait_ready()
        self.node.wait_booted(t.case.timeout)
        # Kills and retries may start kubelet more than once.
        t.validate(["kubelet_stayed"])

    def next_start(self, again: queue.SimpleQueue) -> float | None:
        """When the controller started again. Nothing: it was killed when everything was done, and nothing starts it then."""
        for seconds in (2, 28):
            try:
                return again.get(timeout=seconds)
            except queue.Empty:
                if self.node.exists(COMPLETE) and not self.node.exists(UNFINISHED):
                    return None
        raise cases.Failure("the controller was killed and not started again")

    def kill_at(self, moment: float, counts: Counts) -> bool:
        time.sleep(max(0.0, moment - time.monotonic()))
        pids = self.controllers()
        had_result = self.node.exists(COMPLETE)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            counts.kills += 1
            counts.after_result += had_result
            return True
        counts.late += 1
        return False

    def controllers(self) -> list[int]:
        """The processes of the service: the controller, then its children."""
        for top in self.node.cgroups:
            with contextlib.suppress(OSError):  # the cgroup goes with the last process
                for procs in Path(top).glob(f"**/{SERVICE}/cgroup.procs"):
                    if pids := [int(line) for line in procs.read_text().split()]:
                        return pids
        return []

    def cut_power(self, moment: float, counts: Counts) -> None:
        time.sleep(max(0.0, moment - time.monotonic()))
        counts.power_cuts += 1
        self.node.plug_in()
        self.node.power_cut()
        self.trial.cp.kubectl("delete", "node", self.node.name, "--ignore-not-found")
        self.node.boot()

    def fill(self, full: tuple[str, float], counts: Counts) -> threading.Thread:
        directory, seconds = full
        counts.full_disks += 1
        self.node.run(["sh", "-c", f"mkdir -p {directory} && mount -t tmpfs -o size=1m,mode=0755 full {directory}; "
                       f"dd if=/dev/zero of={directory}/full bs=4k 2>/dev/null; mountpoint -q {directory}"])

        def free():
            time.sleep(seconds)
            self.node.run(["rm", f"{directory}/full"])
        return started(threading.Thread(target=free))

    def unplug(self, begin: float, cable: tuple[float, float]) -> list[threading.Thread]:
        fraction, seconds = cable

        def work():
            time.sleep(max(0.0, begin + fraction * self.length - time.monotonic()))
            port = self.node.port
            self.node.unplug()
            time.sleep(seconds)
            if self.node.port == port:  # a node that has booted since has another one
                self.node.plug_in()
        return [started(threading.Thread(target=work))]


def started(thread: threading.Thread) -> threading.Thread:
    thread.start()
    return thread


class Soak:
    def __init__(self, args):
        self.args, self.counts, self.lock = args, Counts(), threading.Lock()
        self.cp = ControlPlane(sandbox.run_dir() / "control-plane")
        self.numbers = iter([args.round]) if args.round is not None else itertools.count(1)
        self.names = itertools.count(1)
        self.begin = time.monotonic()
        self.stop = threading.Event()

    def run(self) -> int:
        signal.signal(signal.SIGTERM, lambda *_: self.stop.set())
        signal.signal(signal.SIGINT, lambda *_: self.stop.set())
        self.cp.start()
        print(f"seed {self.args.seed}", flush=True)
        workers = [started(threading.Thread(target=self.work)) for _ in range(self.args.jobs)]
        for worker in workers:
            worker.join()
        self.cp.stop()
        self.tell("end")
        return 1 if self.counts.wrong else 0

    def over(self) -> bool:
        return (self.stop.is_set() or (self.args.kills is not None and self.counts.kills >= self.args.kills)
                or (self.args.seconds is not None and time.monotonic() - self.begin > self.args.seconds))

    def work(self):
        patient = None
        while not self.over():
            with self.lock:
                number = next(self.numbers, None)
            if number is None:
                break
            patient = patient or Patient(f"soak-{next(self.names)}", self)
            patient = patient if self.round(patient, number) else None
        if patient:
            try:
                pods.check(patient.trial)
            except Exception as e:
                self.wrong(patient, "a pod at the end", str(e))
            patient.remove()

    def round(self, patient: Patient, number: int) -> bool:
        plan, begin = Plan.draw(self.args.seed, number), time.monotonic()
        try:
            patient.suffer(plan, self.counts)
            problem = None
        except Exception as e:
            problem = f"{type(e).__name__}: {e}"
        with self.lock:
            self.counts.rounds += 1
            if self.args.verbose:
                print(f"round {number}: {time.monotonic() - begin:.1f} s; {plan}", flush=True)
            if self.counts.rounds % 20 == 0:
                self.tell("so far")
        if problem:
            self.wrong(patient, number, f"{plan}\n  {problem}")
            patient.remove()
        return problem is None

    def wrong(self, patient: Patient, number, problem: str):
        with self.lock:
            self.counts.wrong.append(number)
            print(f"WRONG: ./dev test soak --seed {self.args.seed} --round {number}\n" + runner.report(patient.trial, problem), flush=True)

    def tell(self, when: str):
        print(f"{when}, {time.monotonic() - self.begin:.0f} s: {self.counts}", flush=True)


def arguments():
    p = argparse.ArgumentParser(prog="./dev test soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--kills", type=int, metavar="N", help="stop after so many kills (default: only when told to, with Ctrl-C)")
    p.add_argument("--seconds", type=float, metavar="N", help="stop after this time")
    p.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32), help="what goes wrong when (default: chosen and printed)")
    p.add_argument("--round", type=int, metavar="N", help="only this round of the seed")
    p.add_argument("--jobs", type=int, default=1, metavar="N", help="nodes at the same time (default 1)")
    p.add_argument("--parts", choices=list(parts.ROWS), default=parts.DEFAULT.name, metavar="ROW", help="what the nodes are made of")
    p.add_argument("--verbose", action="store_true", help="a line for each round")
    p.add_argument("--bin", type=Path, default=runner.REPO / "out" / "bin", metavar="DIR", help="where the programs under test are (default: out/bin)")
    return p.parse_args()


def main() -> int:
    args = arguments()
    if reason := runner.cannot_run():
        print(f"soak: {reason}", file=sys.stderr)
        return 1
    if not sandbox.inside():
        runner.fill_cache(parts.ROWS[args.parts])
        # The process inside would choose another seed; a later option wins.
        return sandbox.run_inside([sys.executable, __file__, "--seed", str(args.seed), *sys.argv[1:]], keep=False)
    sandbox.settle_in()
    return Soak(args).run()


if __name__ == "__main__":
    sys.exit(main())
