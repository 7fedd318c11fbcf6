"""What Azure receives from the agent of a node: the result in the status blob, the events in telemetry, health."""

import json
import re
import subprocess

import azurenode
import triggers

EVENTS_WITHIN = 60  # seconds; the agent sends its events after five


def events(t) -> list[dict]:
    """The guest agent events as they arrived in Azure, in the form that the controller wrote. Waits until all have arrived."""
    fabric, written = t.node.azure, t.node.azure.written_events.names
    if not fabric.wire.wait(lambda: len(fabric.telemetry()) == len(written()), EVENTS_WITHIN):
        tasks = sorted(e["TaskName"] for e in fabric.telemetry())
        raise TimeoutError(f"{len(written())} events were written, {len(tasks)} arrived within {EVENTS_WITHIN} s: {tasks}")
    return [{"TaskName": e["TaskName"], "EventLevel": e["CapabilityUsed"], "Message": e["Context1"]} for e in fabric.telemetry()]


def check_events(t):
    """Every event that was written has arrived, and the agent found nothing wrong with any."""
    arrived = events(t)
    t.check(len(arrived) > 10, f"only {len(arrived)} events were written")
    # The agent silently truncates long text; the times are at the end.
    cut = [e for e in arrived if e["TaskName"].startswith("AKS.AKSNodeController.") and not re.search(r" durationMs=\d+$", e["Message"])]
    t.check(not cut, f"the agent has cut events: {cut}")
    log = t.node.read(azurenode.AGENT_LOG)
    for wrong in ("Dropped events", "Failed to process event file", "Skipping file", "Reached max count", "Unable to parse"):
        t.check(wrong not in log, f"the agent says: {[line for line in log.splitlines() if wrong in line]}")
    t.check("failed to write event file" not in t.node.read(triggers.LOG), "the controller could not write an event")


def parsed(t, blob: dict) -> tuple[int, dict]:
    """The result of `sunup status parse` for a status blob: its exit code and the one status in it."""
    done = subprocess.run([t.binaries / "sunup", "status", "parse", "--format", "json"], input=json.dumps(blob), capture_output=True, text=True)
    found = json.loads(done.stdout)["statuses"] if done.stdout else []
    t.check(len(found) == 1, f"sunup status parse ended with {done.returncode} and found {found} in {blob}: {done.stderr}")
    return done.returncode, found[0]


def check_output(t, message: str):
    """The extension passes the node's result on unchanged."""
    output = message.split("\n[stdout]\n", 1)[1].split("\n[stderr]\n", 1)[0]
    t.check(output.strip() == t.node.read("/var/log/azure/aks/provision.json").strip(), f"the result changed on its way: {message}")


def runs(t) -> list[str]:
    """The sequence numbers for which the extension ran its command, in that order."""
    lines = t.node.read(azurenode.HANDLER_LOG).splitlines()
    return [line.split("sequence=")[1].split()[0] for line in lines if line.endswith("running the command")]


def check_one_launch(t):
    launches = triggers.launches(t.node)
    t.check(len(launches) == 1, f"the controller was launched {len(launches)} times")
    started = triggers.log(t.node, "aks-node-controller started")
    provisions = [r for r in started if r["task"] == "Provision"]
    t.check(len(provisions) == 1, f"provisioning ran {len(provisions)} times: {started}")


def check_health(t):
    """cloud-init and the agent have reported that the VM is ready, and neither has reported a failure, whatever the node's result is."""
    states = [state for _, state, _ in t.node.azure.health()]
    descriptions = [text for _, state, text in t.node.azure.health() if state == "NotReady"]
    t.check(states and states[0] == "Ready" and states[-1] == "Ready", f"Azure heard {states}")
    t.check(all(text == "Starting" for text in descriptions), f"Azure heard that the VM is not ready: {descriptions}")


def check_secrets(t):
    """No secret of the config is in anything that was sent to Azure."""
    secret = t.cp.token.split(".")[1]
    sent = [body for _, _, body in t.node.azure.wire.posts] + [json.dumps(blob) for _, blob in t.node.azure.statuses]
    t.check(len(sent) > 5, f"only {len(sent)} documents were sent")
    t.check(not any(secret in text for text in sent), "the bootstrap token is in what the node sent to Azure")
