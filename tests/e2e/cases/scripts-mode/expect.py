"""The script must have been given the environment: what it wrote from it is on the node and in the cluster."""

import json


def check(t):
    code, output = t.provision_wait()
    t.check(json.loads(output)["ExitCode"] == "0", f"provision-wait printed {output}")
    node = t.cp.api.request("GET", f"/api/v1/nodes/{t.node.name}")
    t.check(node["metadata"]["labels"].get("kubernetes.azure.com/role") == "agent", "the node labels of the config did not reach the cluster")
    t.check(t.node.path("/var/log/azure/cluster-provision-cse-output.log").exists(), "nothing wrote PROVISION_OUTPUT")
