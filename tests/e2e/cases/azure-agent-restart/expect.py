"""An upgrade of the agent's package restarts its unit, and all processes of the agent end with it.

The handler records its sequence number before it runs the command, so the platform gets no result for this one (docs/status.md).
If this changes, that page must change, too.
"""

import time

import azurenode
import delivered
import triggers

WAITING = ["pgrep", "--full", "aks-node-controller provision-wait"]


def drive(t):
    node = t.node
    node.boot()
    node.azure.handler_status(0, "transitioning", t.case.timeout)
    node.run(["sh", "-c", f"tail -n +1 -F {triggers.LOG} | grep -m1 ProvisionWait"])
    t.check(node.run(WAITING, check=False).returncode == 0, "the extension does not wait for the result")
    node.run(["systemctl", "restart", "walinuxagent.service"])
    restarted = time.monotonic()  # the old agent has ended
    t.check(node.run(WAITING, check=False).returncode == 1, "the extension's command has survived the agent")
    t.check(node.unit_state("aks-node-controller.service") == "activating", "provisioning ended with the agent")
    node.run(["sh", "-c", "echo >/run/let-go"])
    t.wait_ready()
    code, output = t.provision_wait()
    t.check(code == 0, f"provision-wait ended with {code}: {output}")
    check_unfinished(t, restarted)
    node.azure.run(t.cse_command(), sequence=1)
    told = node.azure.handler_status(1, "success", t.case.timeout)
    code, status = delivered.parsed(t, told["blob"])
    t.check((code, status["exitCode"]) == (0, 0), f"sunup status parse finds {status}")
    delivered.check_output(t, told["message"])
    t.check(delivered.runs(t) == ["0", "1"], f"the extension ran for the sequence numbers {delivered.runs(t)}")
    delivered.check_one_launch(t)
    delivered.check_health(t)


def check_unfinished(t, restarted: float):
    told = t.node.azure.handler_status(0, "transitioning", t.case.timeout, since=restarted)
    code, status = delivered.parsed(t, told["blob"])
    t.check(code == 2 and status["inProgress"], f"sunup status parse finds {status}")
    t.check("sequence=0 the script configuration has already been processed" in t.node.read(azurenode.HANDLER_LOG), "the agent did not enable the extension again")
