"""The API server's address answers only once kubelet and the controller have tried it."""

import timelines


def drive(t):
    programs = t.node.executions()
    try:
        started = programs.first("kubelet")
        t.boot()
        started.get(timeout=t.case.timeout)
    finally:
        programs.close()
    t.check(not t.node.exists("/opt/azure/containers/provision.complete"), "provisioned without having seen an API server")
    timeline = timelines.on_node(t)
    at = timelines.milestones(timeline)
    t.check(timeline["state"] == "running", f"while it runs the timeline says {timeline['state']}")
    t.check({"controller.start", "containerd.started"} <= at.keys() and "provision.complete" not in at, f"while it runs the timeline has {at}")
    t.cp.ns.ip("addr", "add", "10.224.0.3/32", "dev", "nodes")
