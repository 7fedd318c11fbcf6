"""Only the extension fails: cloud-init and the agent have reported the VM as ready and do not revoke it."""

import delivered


def check(t):
    node = t.node
    told = node.azure.handler_status(0, "error", t.case.timeout)
    t.times["status"] = told["when"] - node.booted_at
    code, status = delivered.parsed(t, told["blob"])
    t.check((code, status["exitCode"], status["truncated"]) == (1, 4, False), f"sunup status parse finds {status}")
    t.check(status["step"].startswith("containerd.") and "containerd" in status["nodeVerdict"] and status["hint"], f"the status blob does not tell what failed: {status}")
    t.check("KubeletStartTime" not in [entry["name"] for entry in status["boot"]], f"kubelet was started without containerd: {status['boot']}")
    delivered.check_output(t, told["message"])
    delivered.check_events(t)
    errors = [e for e in delivered.events(t) if e["EventLevel"] == "Error"]
    t.check(any("containerd" in e["Message"] for e in errors), f"no event tells of the failure: {errors}")
    delivered.check_one_launch(t)
    delivered.check_health(t)
    delivered.check_secrets(t)
