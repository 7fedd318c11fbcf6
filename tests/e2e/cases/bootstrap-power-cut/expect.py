"""The power fails at some point after bootstrap has found its data; the disc is gone at the next boot.

The validator `logs` does not apply: the agent removes events before it sends them, so those of the first boot may be lost."""

import random
import time

import azure
import beside_agent
import package


def drive(t):
    node = t.node
    kept = f"/var/lib/sunup/instances/{node.azure.vm_id}/ovf-env.xml"
    seed = random.randrange(1 << 32)
    moment = random.Random(seed).uniform(0, 1.5)
    t.boot()
    node.wait_for_path(kept, t.case.timeout)
    time.sleep(moment)
    finished = node.exists(f"/var/lib/sunup/instances/{node.azure.vm_id}/done")
    node.power_cut()
    print(f"     bootstrap-power-cut: {moment:.3f} s after the data were kept (seed {seed}){', when it was done already' if finished else ''}", flush=True)
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
