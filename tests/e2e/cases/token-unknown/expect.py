"""`sunup config check --cluster` reports the same before a node is created."""

import joining


def check(t):
    found = joining.findings(t)
    t.check("does not know the bootstrap token" in found.get("cluster-token", ""), f"config check --cluster: {found}")
