"""Somewhere between the controller's start and the end of its work the power goes; the disk stays as it was."""

import random
import time

import executions


def drive(t):
    seed = random.randrange(1 << 32)
    moment = random.Random(seed).uniform(0, 1)
    programs = executions.Executions(t.node.root)
    try:
        controller = programs.first("aks-node-controller")
        t.boot()
        controller.get(timeout=t.case.timeout)
        time.sleep(moment)
    finally:
        programs.close()
    finished = t.node.exists("/opt/azure/containers/provision.complete")
    t.node.power_cut()
    print(f"     power-cut: {moment:.3f} s after the controller's start (seed {seed}){', when it was done already' if finished else ''}", flush=True)
    t.cp.kubectl("delete", "node", t.node.name, "--ignore-not-found")
    t.boot()
