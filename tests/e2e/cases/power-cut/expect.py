"""The power fails at some point between the controller's start and the end of its work; the disk is kept."""

import executions


def drive(t):
    moment = executions.boot_into_provision(t, 0.4)
    finished = t.node.exists("/opt/azure/containers/provision.complete")
    t.node.power_cut()
    print(f"     power-cut: {moment}{', when it was done already' if finished else ''}", flush=True)
    t.cp.kubectl("delete", "node", t.node.name, "--ignore-not-found")
    t.boot()
