"""The power fails at some point between the start of bootstrap and a report that was accepted.

The validator `logs` does not apply: the agent removes events before it sends them, so those of the first boot may be lost."""

import azure
import beside_agent
import executions
import package


def drive(t):
    node = t.node
    kept = f"/var/lib/sunup/instances/{node.azure.vm_id}/ovf-env.xml"
    moment = executions.boot_into_provision(t, 1.5)
    had = [what for what, path in {"its data": kept, "a result": "/opt/azure/containers/provision.complete"}.items() if node.exists(path)]
    node.power_cut()
    print(f"     bootstrap-power-cut: {moment}, with {' and '.join(had) or 'nothing yet'}", flush=True)
    if node.exists(kept):
        node.target(package.SEED).unlink()  # Azure removes the disc
    t.cp.kubectl("delete", "node", node.name, "--ignore-not-found")
    t.boot()


def check(t):
    node = t.node
    node.wait_for_path(f"/var/lib/sunup/instances/{node.azure.vm_id}/done", t.case.timeout)
    states = [state for _, state, _ in node.azure.health()]
    # A report that was sent just before the cut is repeated.
    t.check(states in (["Ready"], ["Ready", "Ready"]), f"Azure heard {node.azure.health()}")
    beside_agent.wait_for_agent(t)
    t.check(len(node.azure.health()) == len(states), f"Azure heard {node.azure.health()}")
    absent = [path for path, text in beside_agent.identity(node).items() if not text]
    t.check(not absent, f"there is no {absent}")
    t.check(node.read("/etc/hostname") == node.name + "\n", f"the host name is {node.read('/etc/hostname')!r}")
    lines = [line for line in node.read("/home/azureuser/.ssh/authorized_keys").splitlines() if line]
    t.check(lines == [azure.PUBLIC_KEY], f"the user's keys are {lines}")
    node.azure.handler_status(0, "success", t.case.timeout, since=node.booted_at)
