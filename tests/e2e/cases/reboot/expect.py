"""The second boot must not need the controller: kubelet's unit sets up its own protection (the validators check the firewall)."""

import timelines


def check(t):
    before = timelines.on_node(t)
    first = t.node.target("/var/lib/kubelet/pki/kubelet-client-current.pem").name
    t.node.shut_down()
    t.cp.api.request("DELETE", f"/api/v1/nodes/{t.node.name}")
    t.times.clear()
    t.boot()
    t.wait_ready()
    t.node.wait_booted(t.case.timeout)
    t.check(t.node.unit_state("aks-node-controller.service") == "inactive", "the service did something on the second boot")
    t.check(t.node.target("/var/lib/kubelet/pki/kubelet-client-current.pem").name == first, "the node asked for a new identity although it had one")
    # Journals and result files are those of the first boot; all checks of the running node must pass again.
    t.validate(["certificates"])
    timeline = timelines.on_node(t)
    t.check((timeline["boot"], timeline["state"]) == (before["boot"], "succeeded"), f"after a reboot: {timeline['boot']} {timeline['state']}")
    far = timelines.told_otherwise(before, timeline)
    t.check(not far, f"after a reboot the timeline tells it otherwise: {far}")
