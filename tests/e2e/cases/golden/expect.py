"""The cost, counted by the kernel, and the events, as reported by the node itself and by a copy of its logs."""

import os

import pods
import timelines

MOST = 5


def drive(t):
    programs = t.node.executions(families=True)
    try:
        kubelet = programs.first("kubelet")
        t.boot()
        kubelet.get(timeout=t.case.timeout)
    finally:
        programs.close()
    before = programs.before("kubelet")
    # Up to the last helper that kubelet's unit runs. systemd calls kubelet started once it has forked it: deferred steps may start
    # their programs a moment before kubelet is executed.
    helper = max(i for i, (_, path) in enumerate(before) if os.path.basename(path) == "aks-node-controller")
    before = before[:helper + 1]
    controllers = [pid for pid, path in before if os.path.basename(path) == "aks-node-controller"]
    # The first is the provisioning run; the others are started by kubelet's unit before kubelet.
    provision, *others = dict.fromkeys(controllers)
    children = [os.path.basename(path) for pid, path in before if pid != provision and programs.descends(pid, provision)]
    spawned = children + ["aks-node-controller kubelet-prestart" for _ in others]
    print(f"     golden: {len(spawned)} programs started before kubelet: {', '.join(spawned)}", flush=True)
    t.check(len(spawned) <= MOST, f"{len(spawned)} programs were started before kubelet, not at most {MOST}: {spawned}")
    t.check("iptables-save" in " ".join(children) or "xtables" in " ".join(children), f"the count misses what is known to be started: {spawned}")


def check(t):
    pods.check(t)
    timeline = timelines.on_node(t)
    t.check(timeline["state"] == "succeeded" and timeline["mode"] == "native", f"the timeline says {timeline['state']}, {timeline['mode']}")
    at = timelines.milestones(timeline)
    missing = [m for m in (*(("kernel.start",) if t.node.own_kernel else ()), *timelines.WAY) if m not in at]
    t.check(not missing, f"the timeline lacks {missing}: {[s for s in timeline['sources'] if not s['found']]}")
    t.check(at["controller.start"] < at["containerd.started"] <= at["kubelet.started"] < at["node.registered"] <= at["node.ready"], f"order: {at}")
    t.check(at["node.registered"] < at.get("pod.running", 0), f"the timeline does not tell when the first pod ran: {at}")
    # The package's unit may name the message bus, which starts after cloud-init's network stage.
    order = t.node.run(["systemctl", "show", "--property=After", "--value", "containerd.service"]).stdout.split()
    t.check("dbus.service" not in order, f"containerd is ordered after {order}")
    chain = timeline["chain"]
    t.check(chain[-1]["to"] == "node.ready" and all(link["waitedFor"] for link in chain), f"the chain: {chain}")
    t.check(all(a["to"] == b["from"] for a, b in zip(chain, chain[1:])), f"the chain has a hole: {chain}")

    far = timelines.told_otherwise(timeline, timelines.of_copy(t))
    t.check(not far, f"the copied logs tell it otherwise: {far}")
