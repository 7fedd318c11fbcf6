"""The results that nodes send to `sunup serve`, as the cluster shows them on NodeClaims."""

import json
import threading
import time

import case

NOWHERE = "nowhere.example"


def claim(t, name: str):
    """A NodeClaim as Karpenter makes it before it makes the VM."""
    t.cp.api.request("POST", "/apis/karpenter.sh/v1/nodeclaims", {
        "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": name}, "spec": {
            "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"},
            "requirements": [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}})


def result_of_claim(t, name: str) -> dict:
    """The annotation of the NodeClaim, as soon as it has one."""
    for event in t.cp.api.watch(f"/apis/karpenter.sh/v1/nodeclaims?fieldSelector=metadata.name%3D{name}", time.monotonic() + t.case.timeout):
        if result := event["object"]["metadata"].get("annotations", {}).get("sunup.dev/result"):
            return json.loads(result)
    raise case.Failure(f"the NodeClaim {name} has no result")


def events_of(t, name: str) -> list[dict]:
    return t.cp.api.request("GET", f"/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DNodeClaim,involvedObject.name%3D{name}")["items"]


def check_success(t, other):
    """A node that has only what its custom data brought reports its success."""
    result = result_of_claim(t, other.node.name)
    reached = result.get("milestones", {})
    wanted = {"controller.start", "containerd.ready", "kubelet.started", "provision.complete"}
    t.check(result.get("exitCode") == 0 and wanted <= reached.keys(), f"the result of {other.node.name} is {result}\n{log_of(other)}")
    t.check(reached["controller.start"] <= reached["kubelet.started"] <= reached["provision.complete"], f"the milestones of {other.node.name} are {reached}")


def log_of(other) -> str:
    return other.node.read("/var/log/azure/aks-node-controller.log")[-3000:]


class Witness:
    """The time when the first Event about a NodeClaim appears."""

    def __init__(self, t, name: str):
        self.at = 0.0
        where = f"/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DNodeClaim,involvedObject.name%3D{name}"
        self._events = t.cp.api.watch(where, time.monotonic() + 2 * t.case.timeout)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self):
        if next(self._events, None):
            self.at = time.time()

    def wait(self, timeout: float) -> float:
        self._thread.join(timeout)
        return self.at


def failing_config(other) -> dict:
    """The config of a node that fails, because its API server has a name without an address."""
    config = json.loads(other.config_text())
    config["api_server_config"]["api_server_name"] = NOWHERE
    config["cse_timeout"] = 60  # the name is looked up again for a part of it
    return config


def check_failure(t, other, witness: Witness):
    """The NodeClaim of the node shows why it failed, two seconds later at most."""
    name = other.node.name
    other.expect_failure(52, [NOWHERE])
    failed = json.loads(other.node.read("/var/log/azure/aks/provision.json"))
    shown = witness.wait(t.case.timeout)
    t.check(shown > 0, f"there is no Event about the NodeClaim\n{log_of(other)}")
    delay = shown - other.node.modified("/opt/azure/containers/provision.complete")
    t.times["failure shown after"] = delay
    t.check(delay < 2, f"the NodeClaim shows the failure only {delay:.1f} s later")
    result = result_of_claim(t, name)
    t.check((result.get("exitCode"), result.get("class"), result.get("step")) == (52, "network", failed["FailedStep"]), f"the annotation of the NodeClaim is {result}")
    t.check(NOWHERE in result["cause"] and "controller.start" in result.get("milestones", {}), f"the annotation of the NodeClaim is {result}")
    events = events_of(t, name)
    t.check(len(events) == 1 and events[0]["type"] == "Warning", f"the Events about the NodeClaim: {events}")
    described = t.cp.kubectl("describe", "nodeclaim", name).split("Events:")[1]
    for text in ("exit code 52", failed["FailedStep"], NOWHERE):
        t.check(text in described, f"kubectl describe nodeclaim does not show {text!r}: {described}")
