"""The same verdict everywhere: in the result, in the output of provision-wait, on the console, in the hypervisor's pool, at the webhook."""

import json
import subprocess

import listeners
import package


def drive(t):
    listeners.make_pool(t)
    t.hook, t.console = listeners.Webhook(t), listeners.KernelLog()
    t.boot()


def check(t):
    path, kind, told = t.hook.posts.get(timeout=t.case.timeout)  # the last one to receive it
    t.hook.close()
    verdict = json.loads(t.node.read("/var/log/azure/aks/provision.json"))["Verdict"]
    t.check(len(verdict.encode()) < 1024, f"the verdict has {len(verdict)} characters")
    lines = {line.split(":")[0]: line for line in verdict.split("\n")}
    t.check(list(lines) == ["provisioning failed", "step", "cause", "do", "timeline"], f"the verdict lacks something: {verdict}")
    t.check("exit code 4 ERR_SYSTEMCTL_START_FAIL" in lines["provisioning failed"] and "containerd" in lines["step"], verdict)
    t.check("containerd never ready" in lines["timeline"] and "ended +" in lines["timeline"], verdict)

    started = json.loads(t.node.read("/var/log/azure/aks/provision.json"))["BootDatapoints"]["KubeletStartTime"]
    t.check(not started and t.node.unit_state("kubelet.service") in ("inactive", "failed"), f"kubelet was started: {started}")

    printed = t.provision_wait()[1]
    t.check(json.loads(printed)["Verdict"] == verdict, f"provision-wait prints another verdict: {printed}")
    t.check(len(printed.encode()) <= 4096, f"the extension would cut off the status: {len(printed)} characters")
    parsed = subprocess.run([t.binaries / "sunup", "status", "parse"], input=f"failed to execute command: command terminated with exit status=1\n[stdout]\n{printed}\n[stderr]\n",
                            capture_output=True, text=True, check=False)
    t.check(parsed.returncode == 1 and f"| {lines['timeline']}\n" in parsed.stdout, f"status parse ended with {parsed.returncode}: {parsed.stdout}")

    t.check((path, kind) == ("/hook?key=0f1e2d3c", "application/json"), f"the webhook got {path} {kind}")
    t.check(told["text"] == verdict and told["exitCode"] == 4 and told["node"] == t.node.name, f"the webhook got {told}")
    key = next((k for k in listeners.pool(t) if k.startswith("AKS_NODE_PROVISION|failure|")), "")
    t.check(listeners.pool(t).get(key) == verdict, f"the hypervisor's pool holds {listeners.pool(t)}")
    shown = t.console.errors()
    for line in verdict.split("\n"):
        t.check(f"aks-node-controller: {line}" in shown, f"the console does not show {line!r}: {shown}")
    t.console.close()
    log = t.node.read("/var/log/azure/aks-node-controller.log") + t.node.read("/var/log/azure/aks-node-controller/trace.jsonl")
    t.check("0f1e2d3c" not in log, "the webhook's address is in a log")

    timeline = t.node.run([package.CONTROLLER, "timeline"]).stdout
    t.check("failed step: containerd.ready" in timeline and "provision" in timeline, timeline)
