"""The node itself reports its failure: the reason is known without an extension or an agent."""

import time


def check(t):
    node = t.node
    node.azure.wire.wait(node.azure.health, t.case.timeout)
    reports = node.azure.health()
    t.check([state for _, state, _ in reports] == ["NotReady"], f"Azure heard {reports}")
    description = reports[0][2]
    for text in ("result=error", "exit_code=4", "step=containerd", "hint="):
        t.check(text in description, f"the description does not say {text!r}: {description}")
    t.check(len(description.encode()) <= 512, f"the description has {len(description.encode())} bytes")
    written = node.modified("/opt/azure/containers/provision.complete") - time.time() + time.monotonic()
    t.times["failure to report"] = reports[0][0] - written
