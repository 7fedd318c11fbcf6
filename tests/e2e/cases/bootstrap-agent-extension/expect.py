"""The agent runs the extension while the node is provisioned. The VM has no disc: its custom data are its user data."""

import beside_agent
import delivered


def drive(t):
    t.reports = beside_agent.Reports(t)
    t.boot()


def check(t):
    node = t.node
    told = node.azure.handler_status(0, "success", t.case.timeout)
    t.times["status"] = told["when"] - node.booted_at
    code, status = delivered.parsed(t, told["blob"])
    t.check((code, status["exitCode"], status["truncated"]) == (0, 0, False), f"sunup status parse finds {status}")
    delivered.check_output(t, told["message"])
    delivered.check_events(t)
    delivered.check_secrets(t)
    t.check(delivered.runs(t) == ["0"], f"the extension ran for the sequence numbers {delivered.runs(t)}")
    beside_agent.wait_for_agent(t)
    t.reports.check_one()
    t.reports.check_unchanged()
    t.check(node.cp.dhcp.leases.count(node.mac) >= 1, "the node has not asked for an address")
    beside_agent.check_next_boot(t, t.reports)
    t.check(delivered.runs(t) == ["0"], f"the extension ran again: {delivered.runs(t)}")
