"""cloud-init is disabled by its own switch. The node is Ready in the cluster, and has reported this to Azure itself."""

import azure

KEYS = "/home/azureuser/.ssh/authorized_keys"


def check(t):
    node = t.node
    t.check(node.read("/etc/hostname") == node.name + "\n", f"the host name is {node.read('/etc/hostname')!r}")
    t.check(f"127.0.1.1 {node.name}" in node.read("/etc/hosts"), node.read("/etc/hosts"))
    t.check(azure.PUBLIC_KEY in node.read(KEYS), "the user's key is missing")
    owner = node.run(["stat", "-c", "%U %a", KEYS]).stdout.strip()
    t.check(owner == "azureuser 600", f"the user's keys belong to {owner}")
    t.check("azureuser" in node.run(["id", "-nG", "azureuser"]).stdout, "there is no user")
    t.check(node.exists("/etc/ssh/ssh_host_ed25519_key"), "there are no host keys")
    t.check(node.unit_state("cloud-init.target") != "active", "cloud-init runs")
    # The firmware of a container has no id, so the id of the metadata service is used.
    mark = f"/var/lib/sunup/instances/{node.azure.vm_id}/done"
    node.wait_for_path(mark, t.case.timeout)
    reports = node.azure.health()
    t.check([state for _, state, _ in reports] == ["Ready"], f"Azure heard {reports}")
    t.times["reported"] = reports[0][0] - node.booted_at
    check_next_boot(t)


def check_next_boot(t):
    keys = t.node.read("/etc/ssh/ssh_host_ed25519_key")
    t.node.shut_down()
    t.node.boot()
    t.node.wait_booted(t.case.timeout)
    t.check(t.node.unit_state("aks-node-bootstrap.service") == "active", "the unit failed on the next boot")
    t.check(t.node.read("/etc/ssh/ssh_host_ed25519_key") == keys, "the host keys have changed")
    provisions = t.node.read("/var/log/azure/aks-node-controller.log").count('"bootstrap started"')
    t.check(provisions == 2, f"bootstrap ran {provisions} times in two boots")
    t.wait_ready()
