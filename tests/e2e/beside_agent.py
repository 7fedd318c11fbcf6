"""A node that is set up and reported by the product while the guest agent runs on it: only one of them may report, and the agent must
change nothing.

    reports = beside_agent.Reports(t)     while the node is off: takes the state of the node at the moment of each report
    reports.check_one()                   the node has reported Ready, once, with the record for the hypervisor before it
    beside_agent.wait_for_agent(t)        the agent has decided whether the VM is provisioned
    reports.check_unchanged()             identity and marks are as they were when the node reported
"""

import time

import azurenode
import package

PROVISIONED = "/var/lib/waagent/provisioned"
POOL = "/var/lib/hyperv/.kvp_pool_1"
RECORD, KEY = 2560, 512  # bytes: a record of the pool, its key
SHADOW = "/etc/shadow"
IDENTITY = ("/etc/hostname", "/etc/passwd", SHADOW, "/etc/group", "/etc/ssh/ssh_host_ed25519_key", "/home/azureuser/.ssh/authorized_keys",
            PROVISIONED)
SUDOERS = "/etc/sudoers.d/90-aks-node-controller"
# What the agent logs when it sets up a VM, or when it takes the disk for that of another VM.
SET_UP = ("Create user", "Set host name", "Delete root password", "Generated ssh host key", "Running CloudInit provisioning handler", "unique identifier has changed",
          "Finished provisioning")


class Reports:
    def __init__(self, t, sudoers: str = SUDOERS):
        self.t, self.sudoers, self.pools, self.identities = t, sudoers, [], []
        # The daemon that sends the pool to the hypervisor creates it.
        t.node.write(POOL, b"")
        t.node.azure.before_health = self._take

    def _take(self):
        self.pools.append(self.t.node.path(POOL).read_bytes())
        self.identities.append(identity(self.t.node, self.sudoers))

    def check_one(self):
        t = self.t
        t.node.azure.wire.wait(t.node.azure.health_posts, t.case.timeout)
        posts = t.node.azure.health_posts()
        t.check(len(posts) == 1, f"Azure got {len(posts)} reports: {posts}")
        t.check([state for _, state, _ in t.node.azure.health()] == ["Ready"], f"Azure heard {t.node.azure.health()}")
        told = [value for key, value in records(self.pools[0]) if key == "PROVISIONING_REPORT"]
        t.check(len(told) == 1 and told[0].startswith("result=success|"), f"before the report the pool had the records {told}")
        t.check(f"vm_id={t.node.azure.vm_id}" in told[0], f"the record is about another VM: {told[0]}")
        t.times.setdefault("reported", posts[0][0] - t.node.booted_at)
        absent = [path for path, text in self.identities[0].items() if text is None]
        t.check(not absent, f"when the node reported Ready there was no {absent}")
        t.check(self.identities[0][PROVISIONED].decode().strip() == t.node.azure.vm_id, f"{PROVISIONED} has {self.identities[0][PROVISIONED]}")

    def check_unchanged(self):
        t, now = self.t, identity(self.t.node, self.sudoers)
        changed = [path for path, text in self.identities[0].items() if now[path] != text]
        t.check(not changed, f"{changed} changed after the report")
        t.check(not t.node.exists("/etc/sudoers.d/waagent"), "the agent has set up a user")
        records_now = [key for key, _ in records(t.node.path(POOL).read_bytes())]
        t.check(records_now.count("PROVISIONING_REPORT") == 1, f"the pool has the records {records_now}")
        log = t.node.read(azurenode.AGENT_LOG)
        wrong = [line for line in log.splitlines() if " ERROR " in line or any(text in line for text in SET_UP)]
        t.check(not wrong, f"the agent says: {wrong}")


def identity(node, sudoers: str = SUDOERS) -> dict[str, bytes | None]:
    found = {path: node.target(path).read_bytes() if node.exists(path) else None for path in (*IDENTITY, sudoers)}
    # The product sets the dates of accounts later; the passwords stay.
    return found | {SHADOW: b"".join(b":".join(line.split(b":")[:2]) + b"\n" for line in found[SHADOW].splitlines())}


def records(pool: bytes) -> list[tuple[str, str]]:
    parts = [pool[at:at + RECORD] for at in range(0, len(pool), RECORD)]
    return [(p[:KEY].rstrip(b"\0").decode(), p[KEY:].rstrip(b"\0").decode()) for p in parts]


def wait_for_agent(t):
    """Until the agent of this boot has sent a status: it does so after it has dealt with provisioning, which it must have skipped."""
    fabric, since = t.node.azure, t.node.booted_at
    sent = fabric.wire.wait(lambda: any(when >= since for when, _ in fabric.statuses), t.case.timeout)
    t.check(bool(sent), "the agent has sent no status")
    t.times.setdefault("agent", next(when for when, _ in fabric.statuses if when >= since) - since)
    skipped = t.node.read(azurenode.AGENT_LOG).count("Provisioning already completed, skipping.")
    t.check(skipped > 0, "the agent's log does not say that it skips provisioning")


def check_next_boot(t, reports: Reports):
    """The node boots again, without the disc: bootstrap and the agent find everything done."""
    node = t.node
    node.shut_down()
    log = node.read("/var/log/azure/aks-node-controller.log")
    if node.exists(package.SEED):
        node.target(package.SEED).unlink()
    t.cp.api.request("DELETE", f"/api/v1/nodes/{node.name}")
    node.boot()
    t.wait_ready()
    wait_for_agent(t)
    t.times["second boot"] = node.wait_booted(t.case.timeout)
    t.check(node.unit_state("aks-node-bootstrap.service") == "active", "bootstrap failed on the second boot")
    t.check("this VM is set up already" in node.read("/var/log/azure/aks-node-controller.log")[len(log):], "bootstrap has not found the VM set up")
    reports.check_one()
    reports.check_unchanged()


def report_delay(t) -> float:
    """Seconds from the result of the node to its report to Azure."""
    written = t.node.modified("/opt/azure/containers/provision.complete") - time.time() + time.monotonic()
    return t.node.azure.health_posts()[0][0] - written
