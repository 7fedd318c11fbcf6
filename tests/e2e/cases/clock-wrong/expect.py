"""`sunup config check --cluster` names the clock, too, before a node is created."""

import joining
from controlplane import EARLY


def check(t):
    said = joining.findings(t, EARLY).get("cluster-clock", "")
    t.check("the clock says" in said and "the certificate is not valid before 2" in said, f"config check --cluster: {said}")
