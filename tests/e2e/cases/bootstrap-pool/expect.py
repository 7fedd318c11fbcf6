"""The platform boots a VM before anyone has asked for it. Its disc has a name of the pool and no custom data."""

import time

import azure
import beside_agent
import package

POOL_NAME = "pool-vm-0001"
ASKED = "/metadata/reprovisiondata"


def drive(t):
    node, fabric = t.node, t.node.azure
    data = azure.ovf_env(node.name, t.custom_data(), "Running")
    fabric.pool, fabric.name = "Running", POOL_NAME
    node.write(package.SEED, azure.ovf_env(POOL_NAME, b"", "Running"), 0o600)
    t.reports = beside_agent.Reports(t)
    t.boot()
    t.check(bool(fabric.wire.wait(fabric.health, t.case.timeout)), "the VM has not reported Ready to its pool")
    t.times["reported to the pool"] = fabric.health()[0][0] - node.booted_at
    mark = f"/var/lib/sunup/instances/{fabric.vm_id}/pool"
    node.wait_for_path(mark, t.case.timeout)
    check_waits(t)
    fabric.name, fabric.reprovision_data = node.name, data
    node.set_link(False)
    node.set_link(True)
    t.given_away = time.monotonic()


def check_waits(t):
    node, fabric = t.node, t.node.azure
    t.check(not node.exists("/opt/azure/containers/provision.complete"), "there is a result in the pool")
    t.check(node.unit_state("kubelet.service") != "active", "kubelet runs in the pool")
    t.check(not node.exists("/home/azureuser"), "there is a user in the pool")
    asked = sum(ASKED in path for path in fabric.imds.requests)
    t.check(asked == 1, f"in the pool the VM asked {asked} times for its data")


def check(t):
    node, fabric = t.node, t.node.azure
    node.wait_for_path(f"/var/lib/sunup/instances/{fabric.vm_id}/done", t.case.timeout)
    t.times["given away to ready"] = t.times["ready"] - (t.given_away - node.booted_at)
    t.check(node.read("/etc/hostname") == node.name + "\n", f"the host name is {node.read('/etc/hostname')!r}")
    t.check("azureuser" in node.run(["id", "-nG", "azureuser"]).stdout, "there is no user")
    states = [state for _, state, _ in fabric.health()]
    t.check(states == ["Ready", "Ready"], f"Azure heard {fabric.health()}")
    told = [value for key, value in beside_agent.records(t.reports.pools[-1]) if key == "PROVISIONING_REPORT"]
    t.check(["pps_type=Running" in record for record in told] == [True, False], f"the records for the hypervisor are {told}")
    beside_agent.wait_for_agent(t)
