"""One node, which is reset between the forms: each of them is provisioned to Ready and reported once."""

import base64
import gzip
import json

import again
import package
import userdata

DIRECTORY = "/opt/azure/containers"
COMPLETE = f"{DIRECTORY}/provision.complete"
CONFIG = f"{DIRECTORY}/aks-node-controller-config.json"
COMMAND = f"{DIRECTORY}/aks-node-controller-nbc-cmd.sh"
UNIT = "aks-node-bootstrap.service"


def drive(t):
    package.install(t.node, t.binaries)
    package.replace_cloud_init(t.node)
    for number, (form, (custom_data, brings)) in enumerate(forms(t).items()):
        package.seed(t.node, custom_data)
        if number == 0:
            t.boot()
        else:
            t.node.run(["systemctl", "restart", "--no-block", UNIT])
        check_form(t, form, brings, number + 1)
        forget(t, brings)


def forms(t) -> dict[str, tuple[bytes, str]]:
    """The custom data, and the file of the node that they bring."""
    config = base64.b64encode(t.config_text().encode()).decode()
    command = base64.b64encode(gzip.compress(t.command_text().encode(), mtime=0)).decode()
    original = userdata.original_boothook(CONFIG, config, "base64 -d")
    return {
        "ignition": (t.custom_data("--form", "ignition"), CONFIG),
        "write-files": (t.custom_data("--form", "write-files"), CONFIG),
        "gzip": (t.custom_data("--gzip", "always"), CONFIG),
        "the original's": (userdata.original_mime(original), CONFIG),
        "the original's, packed": (base64.b64encode(gzip.compress(userdata.original_mime(original))), CONFIG),
        "a command": (userdata.original_boothook(COMMAND, command, "base64 -d | gzip -d"), COMMAND),
    }


def check_form(t, form: str, brings: str, reports: int):
    node = t.node
    node.wait_for_path(COMPLETE, t.case.timeout)
    status = json.loads(node.read("/var/log/azure/aks/provision.json"))
    t.check(status["ExitCode"] == "0", f"{form}: {json.dumps(status)[-3000:]}")
    t.check(node.exists(brings), f"{form}: there is no {brings}")
    other = COMMAND if brings == CONFIG else CONFIG
    t.check(not node.exists(other), f"{form}: there is {other}, too")
    t.wait_ready()
    node.wait_for_path(f"/var/lib/sunup/instances/{node.azure.vm_id}/done", t.case.timeout)
    states = [state for _, state, _ in node.azure.health()]
    t.check(states == ["Ready"] * reports, f"{form}: Azure heard {node.azure.health()}")
    t.check(node.unit_state("cloud-init.target") != "active", f"{form}: cloud-init runs")


def forget(t, brings: str):
    t.node.wait_until_gone("/opt/azure/containers/.provision.unfinished", t.case.timeout)
    again.reset(t)
    t.node.target(brings).unlink()
