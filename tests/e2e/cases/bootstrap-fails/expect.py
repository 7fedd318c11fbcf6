"""The node itself reports its failure, so the reason is known without an extension or an agent. The report does not wait for the upload of the
logs, which begins after the result: the image's log collector waits until this test lets it go on."""

import beside_agent

COLLECTOR_WAITS = "/run/e2e-log-collector"
COLLECTOR_ENDED = "/var/log/azure/aks/cse-aks-log-collector.log"


def check(t):
    node = t.node
    node.azure.wire.wait(node.azure.health, t.case.timeout)
    reports = node.azure.health()
    t.check([state for _, state, _ in reports] == ["NotReady"], f"Azure heard {reports}")
    description = reports[0][2]
    for text in ("result=error", "exit_code=4", "step=containerd", "hint="):
        t.check(text in description, f"the description does not say {text!r}: {description}")
    t.check(len(description.encode()) <= 512, f"the description has {len(description.encode())} bytes")
    t.times["failure to report"] = beside_agent.report_delay(t)
    t.check(not node.exists(COLLECTOR_ENDED), "the report came after the upload of the logs")
    node.wait_for_path(COLLECTOR_WAITS, t.case.timeout)
    node.run(["sh", "-c", f"echo >{COLLECTOR_WAITS}"])
    node.wait_for_path(COLLECTOR_ENDED, t.case.timeout)
