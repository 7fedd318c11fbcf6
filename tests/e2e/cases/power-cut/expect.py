"""Somewhere between the controller's start and the end of its work the power goes; the disk stays as it was."""

import executions


def drive(t):
    moment = executions.boot_into_provision(t, 1)
    finished = t.node.exists("/opt/azure/containers/provision.complete")
    t.node.power_cut()
    print(f"     power-cut: {moment}{', when it was done already' if finished else ''}", flush=True)
    # The word on the bootstrap token comes after the result, in kubelet's journal only, and nothing runs again to say it.
    if finished:
        t.case.expect.setdefault("unless", []).append("credential_check")
    t.cp.kubectl("delete", "node", t.node.name, "--ignore-not-found")
    t.boot()
