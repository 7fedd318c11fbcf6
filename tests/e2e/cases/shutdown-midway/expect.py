"""An orderly shutdown stops the controller with SIGTERM and its units beside it: no verdict on the node comes of that."""

import json
import random
import time

import executions


def drive(t):
    seed = random.randrange(1 << 32)
    moment = random.Random(seed).uniform(0, 0.3)
    programs = executions.Executions(t.node.root)
    try:
        controller = programs.first("aks-node-controller")
        t.boot()
        controller.get(timeout=t.case.timeout)
        time.sleep(moment)
    finally:
        programs.close()
    t.node.shut_down()
    finished = t.node.exists("/opt/azure/containers/provision.complete")
    print(f"     shutdown-midway: {moment:.3f} s after the controller's start (seed {seed}){', when it was done already' if finished else ''}", flush=True)
    if finished:
        result = json.loads(t.node.read("/opt/azure/containers/provision.json"))
        t.check(result["ExitCode"] == "0", f"a machine that goes down left a failure behind: {result['Error']}")
    t.cp.kubectl("delete", "node", t.node.name, "--ignore-not-found")
    t.boot()
