"""A path unit that only checks whether a file exists would restart a failed service at once, forever."""

import json

import triggers


def drive(t):
    node = t.node
    triggers.prepare(t, brings_up=False)
    triggers.seed(node, triggers.render(t, {"version": "v1"}))
    node.boot()
    node.wait_for_path(triggers.STARTS, 60)
    triggers.let_go(node, code=50)
    node.wait_booted()
    code, output = t.provision_wait()
    t.check(code == 1 and json.loads(output)["ExitCode"] == "50", f"provision-wait ended with {code}: {output}")
    t.check(node.unit_state("aks-node-controller.service") == "failed", "the failure does not show")
    # Events that would start it again: the config is touched, and a start is requested.
    node.run(["touch", triggers.CONFIG])
    node.run(["systemctl", "start", "aks-node-controller.service"])
    t.check(len(triggers.starts(node)) == 1, f"provisions: {triggers.starts(node)}")
    t.check(len(triggers.launches(node)) == 1, f"launches: {triggers.launches(node)}")
    t.check(node.unit_state("aks-node-controller.path") == "active", "the path unit gave up")
