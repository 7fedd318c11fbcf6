"""An orderly shutdown stops the controller with SIGTERM, together with its units: the node gets no result from that."""

import json

import executions


def drive(t):
    moment = executions.boot_into_provision(t, 0.2)
    t.node.shut_down()
    finished = t.node.exists("/opt/azure/containers/provision.complete")
    print(f"     shutdown-midway: {moment}{', when it was done already' if finished else ''}", flush=True)
    if finished:
        result = json.loads(t.node.read("/var/log/azure/aks/provision.json"))
        t.check(result["ExitCode"] == "0", f"a machine that goes down left a failure behind: {result.get('Error')}")
    t.cp.kubectl("delete", "node", t.node.name, "--ignore-not-found")
    t.boot()
