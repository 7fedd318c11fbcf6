"""The wire server has faults when the node reports. None of them is a reason to fail the node or to report twice."""


def drive(t):
    # The node requests its goal state first, which uses the first entries; one byte per second is slower than any timeout.
    t.node.azure.wire.script([
        {"times": 2, "reset": True}, {"times": 2, "status": 503, "body": "busy"}, {"times": 1, "drip": 1.0}, {"times": 1, "body": "<GoalState>"}])
    t.boot()


def check(t):
    node = t.node
    node.wait_for_path(f"/var/lib/sunup/instances/{node.azure.vm_id}/done", t.case.timeout)
    accepted = [state for _, state, _ in node.azure.health()]
    t.check(accepted[-1:] == ["Ready"], f"Azure heard {node.azure.health()}")
    t.check("NotReady" not in accepted, f"Azure heard {node.azure.health()}")
    log = node.read("/var/log/azure/aks-node-controller.log")
    t.check("reporting the state of this node" in log and "trying again" in log, "the log does not tell of the trouble")
    t.check(node.unit_state("aks-node-bootstrap.service") == "active", "the unit failed")
