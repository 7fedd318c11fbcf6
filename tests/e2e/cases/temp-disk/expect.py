"""The second disk represents the one that Azure adds to a VM. The node offers its size to pods as ephemeral storage."""

import json

SIZE = 4 << 30
IDENTITY = "/var/lib/kubelet/pki/kubelet-client-current.pem"


def drive(t):
    t.node.add_disk("temporary", str(SIZE // 1024) + "k")
    t.boot()


def check(t):
    look(t)
    first = t.node.target(IDENTITY).name
    t.node.shut_down()
    t.check(not t.node.exists(IDENTITY), "kubelet's identity is on the OS disk")
    # It registers again, so Ready is about this boot.
    t.cp.api.request("DELETE", f"/api/v1/nodes/{t.node.name}")
    t.boot()
    t.wait_ready()
    t.node.wait_booted(t.case.timeout)
    look(t)
    t.check(t.node.target(IDENTITY).name == first, "the node asked for a new identity although it had one")


def look(t):
    mounts = json.loads(t.node.run(["findmnt", "--json", "--output=SOURCE,TARGET", "/var/lib/kubelet"]).stdout)["filesystems"]
    t.check(mounts[-1]["source"] == "/dev/vdb[/aks/kubelet]", f"/var/lib/kubelet is {mounts}")
    offered = t.cp.api.request("GET", f"/api/v1/nodes/{t.node.name}")["status"]["capacity"]["ephemeral-storage"]
    have = int(offered.removesuffix("Ki")) << 10
    t.check(SIZE * 0.85 < have <= SIZE, f"the node offers {offered} of ephemeral storage; the temporary disk has {SIZE >> 10}Ki")
