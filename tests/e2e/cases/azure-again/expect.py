"""A control plane may send the extension again (a model update, a retry), and a node boots more than once. It is provisioned once."""

import json
import time

import azurenode
import delivered

COMPLETE = "/opt/azure/containers/provision.complete"


def check(t):
    node = t.node
    node.azure.handler_status(0, "success", t.case.timeout)
    written = node.modified(COMPLETE)
    sent = time.monotonic()
    node.azure.run(t.cse_command(), sequence=1)
    told = node.azure.handler_status(1, "success", t.case.timeout)
    t.times["second answer"] = told["when"] - sent
    check_as_before(t, told, written)
    check_reboot(t, written)


def check_as_before(t, told: dict, written: float):
    """The second response is the result of the first run, and there was no other run."""
    code, status = delivered.parsed(t, told["blob"])
    t.check((code, status["exitCode"]) == (0, 0), f"sunup status parse finds {status}")
    delivered.check_output(t, told["message"])
    delivered.check_one_launch(t)
    t.check(t.node.modified(COMPLETE) == written, "the result was written again")
    t.check(delivered.runs(t) == ["0", "1"], f"the extension ran for the sequence numbers {delivered.runs(t)}")


def check_reboot(t, written: float):
    node = t.node
    node.wait_booted(t.case.timeout)
    delivered.check_health(t)
    reports = node.azure.health()
    node.shut_down()
    azurenode.remove_disc(node)
    t.cp.api.request("DELETE", f"/api/v1/nodes/{node.name}")
    node.boot()
    t.wait_ready()
    told = node.azure.handler_status(1, "success", t.case.timeout, since=node.booted_at)
    t.times["second boot"] = node.wait_booted(t.case.timeout)
    check_as_before(t, told, written)
    t.check(node.azure.health() == reports, f"after the reboot Azure heard {node.azure.health()[len(reports):]}")
    source = json.loads(node.read("/run/cloud-init/instance-data.json"))["v1"]
    t.check(source["cloud_name"] == "azure" and source["instance_id"] == node.azure.vm_id, f"cloud-init took its data from {source['subplatform']}")
    failed = node.run(["systemctl", "list-units", "--failed", "--plain", "--no-legend"]).stdout
    t.check(not failed, f"failed units after the reboot: {failed}")
