"""A control plane that sends the extension does so after Azure has got the report (single VMs), or never."""

import beside_agent
import delivered


def drive(t):
    t.reports = beside_agent.Reports(t)
    t.boot()


def check(t):
    t.reports.check_one()
    beside_agent.wait_for_agent(t)
    t.reports.check_unchanged()
    beside_agent.check_next_boot(t, t.reports)
    t.node.azure.run(t.cse_command())
    told = t.node.azure.handler_status(0, "success", t.case.timeout)
    code, status = delivered.parsed(t, told["blob"])
    t.check((code, status["exitCode"]) == (0, 0), f"sunup status parse finds {status}")
    delivered.check_output(t, told["message"])
    t.reports.check_one()
