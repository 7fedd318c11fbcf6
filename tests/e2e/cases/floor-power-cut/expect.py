"""Power cut after the node joined; it must join again under the same identity."""


def drive(t):
    t.boot()
    t.wait_ready()
    first = certificate(t)
    t.times.clear()

    t.node.power_cut()
    t.check("NodeReady" in t.node.journal("--unit=kubelet.service"), "the journal of the first boot is gone")
    # The control plane still has the node; delete it, so that a second Ready means a second join.
    t.cp.api.request("DELETE", f"/api/v1/nodes/{t.node.name}")
    t.boot()
    t.wait_ready()
    t.check(certificate(t) == first, "the node asked for a new identity although it had one")


def certificate(t):
    return t.node.path("/var/lib/kubelet/pki/kubelet-client-current.pem").readlink().name
