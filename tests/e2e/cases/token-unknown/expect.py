"""`sunup config check --cluster` says the same before a node is made."""

import joining


def check(t):
    found = joining.findings(t)
    t.check("does not know the bootstrap token" in found.get("cluster-token", ""), f"config check --cluster: {found}")
