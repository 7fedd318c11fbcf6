"""The node itself reports its failure: the reason is known without an extension or an agent, within a second."""

import beside_agent


def check(t):
    node = t.node
    node.azure.wire.wait(node.azure.health, t.case.timeout)
    reports = node.azure.health()
    t.check([state for _, state, _ in reports] == ["NotReady"], f"Azure heard {reports}")
    description = reports[0][2]
    for text in ("result=error", "exit_code=4", "step=containerd", "hint="):
        t.check(text in description, f"the description does not say {text!r}: {description}")
    t.check(len(description.encode()) <= 512, f"the description has {len(description.encode())} bytes")
    t.times["failure to report"] = delay = beside_agent.report_delay(t)
    t.check(delay < 1.0, f"the report came {delay:.2f} s after the failure")
