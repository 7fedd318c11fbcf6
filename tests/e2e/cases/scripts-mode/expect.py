"""The script must have received the environment: the files that it wrote from it are on the node and in the cluster. The node also has a
timeline of all events, also after a reboot."""

import json

import pods


def check(t):
    code, output = t.provision_wait()
    t.check(json.loads(output)["ExitCode"] == "0", f"provision-wait printed {output}")
    node = t.cp.api.request("GET", f"/api/v1/nodes/{t.node.name}")
    t.check(node["metadata"]["labels"].get("kubernetes.azure.com/role") == "agent", "the node labels of the config did not reach the cluster")
    t.check(t.node.path("/var/log/azure/cluster-provision-cse-output.log").exists(), "nothing wrote PROVISION_OUTPUT")
    pods.check(t)
    before = timeline(t)
    for milestone in ("systemd.start", "cloudinit.network.start", "boothook.start", "controller.start", "cse.start", "containerd.ready", "kubelet.started",
                      "kubelet.first_log", "kubelet.tls", "kubelet.runtime", "kubelet.sync_loop", "node.registered", "node.ready", "provision.complete"):
        t.check(milestone in before, f"the timeline does not know {milestone}: {sorted(before)}")
    t.check(0 < before["kubelet.started"] < before["node.registered"] < before["node.ready"], f"the order is wrong: {before}")
    t.node.shut_down()
    t.node.boot()
    t.node.wait_booted()
    after = timeline(t)
    t.check(abs(after["node.ready"] - before["node.ready"]) < 0.01, f"NodeReady was {before['node.ready']}, after a reboot {after.get('node.ready')}")


def timeline(t) -> dict[str, float]:
    shown = json.loads(t.node.run(["/opt/azure/containers/aks-node-controller", "timeline", "--format", "json"]).stdout)
    return {m["id"]: m["at"] for m in shown["milestones"]}
