"""What happened, told by the node itself and by a copy of its logs."""

import timelines


def check(t):
    timeline = timelines.on_node(t)
    t.check(timeline["state"] == "succeeded" and timeline["mode"] == "native", f"the timeline says {timeline['state']}, {timeline['mode']}")
    at = timelines.milestones(timeline)
    missing = [m for m in timelines.WAY if m not in at]
    t.check(not missing, f"the timeline lacks {missing}: {[s for s in timeline['sources'] if not s['found']]}")
    t.check(at["controller.start"] < at["containerd.started"] <= at["kubelet.started"] < at["node.registered"] <= at["node.ready"], f"order: {at}")
    chain = timeline["chain"]
    t.check(chain[-1]["to"] == "node.ready" and all(link["waitedFor"] for link in chain), f"the chain: {chain}")
    t.check(all(a["to"] == b["from"] for a, b in zip(chain, chain[1:])), f"the chain has a hole: {chain}")

    far = timelines.told_otherwise(timeline, timelines.of_copy(t))
    t.check(not far, f"the copied logs tell it otherwise: {far}")
