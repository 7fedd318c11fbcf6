"""Only Azure's own parts report the state of the node to Azure: their reports must match the node's result."""

import json

import azure
import delivered
import timelines


def check(t):
    node = t.node
    told = node.azure.handler_status(0, "success", t.case.timeout)
    t.times["status"] = told["when"] - node.booted_at
    code, status = delivered.parsed(t, told["blob"])
    t.check((code, status["exitCode"], status["truncated"]) == (0, 0, False), f"sunup status parse finds {status}")
    boot = {entry["name"] for entry in status["boot"]}
    t.check({"CloudInitLocalStartTime", "CloudInitStartTime", "NetworkdStartTime", "KubeletStartTime"} <= boot, f"the result has only the times {boot}")
    delivered.check_output(t, told["message"])
    delivered.check_events(t)
    delivered.check_one_launch(t)
    t.check(delivered.runs(t) == ["0"], f"the extension ran for the sequence numbers {delivered.runs(t)}")
    delivered.check_health(t)
    delivered.check_secrets(t)
    check_path(t)
    check_timeline(t)


def check_timeline(t):
    """cloud-init requests an address and the metadata before there is a network. The timeline must show this time."""
    chain = [link["waitedFor"] for link in timelines.on_node(t)["chain"]]
    for part in ("cloud-init-local.service", "systemd-networkd.service"):
        t.check(part in chain, f"the critical chain does not lead through {part}: {chain}")


def check_path(t):
    """The node used the provisioning path of this case, and not a shorter one."""
    node = t.node
    source = json.loads(node.read("/run/cloud-init/instance-data.json"))["v1"]
    t.check((source["cloud_name"], source["subplatform"]) == ("azure", "config-disk (/dev/sr0)"), f"cloud-init took its data from {source['subplatform']}")
    t.check(source["instance_id"] == node.azure.vm_id, f"cloud-init takes the VM for {source['instance_id']}")
    cloud_init = json.loads(node.run(["cloud-init", "status", "--wait", "--format=json"], check=False).stdout)
    t.check(cloud_init["status"] == "done" and not cloud_init["errors"] and not cloud_init.get("recoverable_errors"), f"cloud-init says {cloud_init}")
    t.check(not node.path("/dev/sr0").exists(), "the disc, with all that is on it, is still in the drive")
    t.check(node.cp.dhcp.leases.count(node.mac) >= 2, "cloud-init and networkd did not both ask for an address")
    t.check(node.run(["hostname"]).stdout.strip() == node.name, "the host name is another")
    t.check(azure.PUBLIC_KEY in node.read("/home/azureuser/.ssh/authorized_keys"), "the user has no key")
