"""Hooks run at their declared positions, and their results are reported; the other conditions that can be waited for."""

import concurrent.futures
import json

import pods
import timelines
from controlplane import PAUSE_IMAGE

CONTROLLER = "/opt/azure/containers/aks-node-controller"
CONFIG = "/opt/azure/containers/aks-node-controller-config.json"


def check(t):
    before = t.node.read("/var/lib/site/before")
    t.check(before == f"two words, kubelet is inactive, Kubernetes {t.row.version}, HOME=\n", f"the hook before kubelet saw: {before!r}")
    t.check(t.node.read("/var/lib/site/fails") == "once\nonce\n", "the hook that fails was not tried twice")
    t.check(t.node.exists("/var/lib/site/sent"), "the hook of the custom data did not run")
    log = t.node.read("/var/log/azure/cluster-provision.log")
    t.check(t.node.exists("/var/lib/site/joined") and t.node.exists("/var/lib/site/later"), "a hook after the join did not run")
    done = [f"{step} done" for step in ("site.before", "site.sent", "node.registered", "site.network", "node.ready", "site.joined", "site.later")]
    for text in (*done, "site.fails failed: /usr/local/bin/site-fails: exit code 3: the inventory does not answer"):
        t.check(text in log, f"cluster-provision.log does not say {text!r}: {log[-3000:]}")
    timeline = timelines.on_node(t)
    spans = {s["name"]: s for s in timeline["spans"]}
    for name in ("site.before", "site.sent", "site.network", "site.joined", "site.later", "site.fails"):
        t.check(name in spans, f"the timeline does not name {name}")
    moments = timelines.milestones(timeline)
    way = [("site.network", spans["site.network"]["start"]), ("node.ready", moments["node.ready"]), ("site.joined", spans["site.joined"]["start"]),
           ("provision.complete", moments["provision.complete"])]
    t.check(way == sorted(way, key=lambda step: step[1]), f"the order: {way}")
    result = json.loads(t.node.read("/var/log/azure/aks/provision.json"))
    t.check(result["ExitCode"] == "0", f"the result: {result}")

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        # Nothing runs on the node yet, so this waits for the pod.
        waiting = pool.submit(t.node.run, [CONTROLLER, "provision-wait", "--for", "pod", "--timeout", "100s"], check=False, timeout=130)
        pods.check(t)
        done = waiting.result()
    t.check(done.returncode == 0 and done.stdout == "pod: reached\n", f"--for pod: {done.returncode} {done.stdout}")
    for event in ("kubelet", "ready"):
        done = t.node.run([CONTROLLER, "provision-wait", "--for", event, "--timeout", "60s"], check=False, timeout=90)
        t.check(done.returncode == 0 and done.stdout == f"{event}: reached\n", f"--for {event}: {done.returncode} {done.stdout}")
    # Its pod has been removed, and nothing else runs here.
    done = t.node.run([CONTROLLER, "provision-wait", "--for", "pod", "--timeout", "2s"], check=False, timeout=60)
    t.check(done.returncode == 1 and done.stdout.startswith("pod: not reached: "), f"--for pod: {done.returncode} {done.stdout}")

    # The pod has pulled the pause image.
    looked = t.node.run([CONTROLLER, "check-image", "--format", "json", "--provision-config", CONFIG], check=False)
    [found] = json.loads(looked.stdout)["versions"]
    parts = {p["name"]: p for p in found["parts"]}
    t.check(parts["pause image"] == {"name": "pause image", "state": "present", "needed": True, "detail": PAUSE_IMAGE},
            f"check-image does not find the pause image: {parts['pause image']}")
