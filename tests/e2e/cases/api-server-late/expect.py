"""The API server responds only after kubelet and the controller have tried to reach it. kubelet is then restarted: otherwise
it would be Ready half a minute later, because its retries become less frequent."""

import json
import time

import timelines
import validators

RECORD = "/var/log/azure/aks-node-controller/trace.jsonl"


def attempts(t) -> int:
    """How often the controller has tried to reach the API server."""
    lines = [json.loads(line) for line in t.node.read(RECORD).splitlines() if line.endswith("}")]
    return sum(line.get("e") == "started" and line.get("step") in ("apiserver.lookup", "apiserver.reach") for line in lines)


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
    # Two more attempts: at least one began, and failed, while kubelet ran.
    wanted = attempts(t) + 2
    end = time.monotonic() + t.case.timeout
    while attempts(t) < wanted:
        t.check(time.monotonic() < end, "the controller does not look for the API server again")
        time.sleep(0.2)
    t.cp.ns.ip("addr", "add", "10.224.0.3/32", "dev", "nodes")
    appeared = time.monotonic()
    t.wait_ready()
    t.times["ready after the API server"] = time.monotonic() - appeared


def check(t):
    started = validators.kubelet_starts(t)
    t.check(started == 2 and "restarting kubelet" in t.node.read(RECORD), f"kubelet was started {started} times, not once more for the API server")
