"""Ready means here that the node is provisioned. cloud-init and the agent would both say so before."""

import azurenode
import beside_agent
import delivered

UNIT = "aks-node-report-ready.service"


def drive(t):
    t.reports = beside_agent.Reports(t, "/etc/sudoers.d/90-cloud-init-users")
    t.boot()


def check(t):
    node = t.node
    t.reports.check_one()
    delay = beside_agent.report_delay(t)
    t.check(delay > 0, f"Azure heard of the node {-delay:.1f} s before there was a result")
    told = node.azure.handler_status(0, "success", t.case.timeout)
    code, status = delivered.parsed(t, told["blob"])
    t.check((code, status["exitCode"]) == (0, 0), f"sunup status parse finds {status}")
    beside_agent.wait_for_agent(t)
    t.reports.check_one()
    t.reports.check_unchanged()
    t.check(node.unit_state(UNIT) == "inactive", f"the unit is {node.unit_state(UNIT)}")
    check_next_boot(t)


def check_next_boot(t):
    node = t.node
    node.shut_down()
    azurenode.remove_disc(node)
    t.cp.api.request("DELETE", f"/api/v1/nodes/{node.name}")
    node.boot()
    t.wait_ready()
    node.azure.handler_status(0, "success", t.case.timeout, since=node.booted_at)
    t.times["second boot"] = node.wait_booted(t.case.timeout)
    t.check("is reported as Ready already" in node.journal(f"--unit={UNIT}", "--boot") + node.read("/var/log/azure/aks-node-controller.log"), "report-ready has not run")
    t.reports.check_one()
    t.reports.check_unchanged()
