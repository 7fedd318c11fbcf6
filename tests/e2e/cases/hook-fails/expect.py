"""The result, the verdict, the log and the timeline of a node whose provisioning a hook has ended. kubelet had started before."""

import json

CONTROLLER = "/opt/azure/containers/aks-node-controller"


def check(t):
    result = json.loads(t.node.read("/var/log/azure/aks/provision.json"))
    t.check(result["FailedStep"] == "site.licence", f"the failed step: {result}")
    verdict = dict(line.split(":", 1) for line in result["Verdict"].split("\n") if ":" in line)
    t.check("site.licence" in verdict.get("step", "") and "no licence for this node" in verdict.get("cause", ""), f"the verdict: {result['Verdict']}")
    t.check(bool(result["BootDatapoints"]["KubeletStartTime"]), f"kubelet had not started: {result}")
    t.check(t.node.read("/var/log/site-licence") == "once\nonce\n", "the hook was not tried twice")
    log = t.node.read("/var/log/azure/cluster-provision.log")
    t.check("site.licence failed: /usr/local/bin/site-licence: exit code 7: no licence for this node" in log, log[-3000:])
    timeline = t.node.run([CONTROLLER, "timeline"]).stdout
    t.check("failed step: site.licence" in timeline, timeline)
