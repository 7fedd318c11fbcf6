"""A node with invalid data reports this at once, and can be provisioned again."""

import package


def drive(t):
    node = t.node
    package.install(node, t.binaries)
    t.switch_cloud_init_off(b"\0" * 65536)
    node.boot()
    t.expect_failure(240, ["65536 zero bytes"])
    node.wait_booted(t.case.timeout)
    reports = node.azure.health()
    t.check([state for _, state, _ in reports] == ["NotReady"], f"Azure heard {reports}")
    t.times["data to report"] = delay = reports[0][0] - node.azure.read_at
    t.check(delay > 0, "the node reported before it had read its data")
    t.check("65536 zero bytes" in reports[0][2] and "exit_code=240" in reports[0][2], f"the description is {reports[0][2]!r}")
    for path in ("/etc/hostname", "/home/azureuser", "/opt/azure/containers/aks-node-controller-config.json"):
        t.check(not node.exists(path), f"{path} is there")
    package.seed(node, t.custom_data())
    node.run(["systemctl", "restart", "--no-block", "aks-node-bootstrap.service"])
    t.wait_ready()

