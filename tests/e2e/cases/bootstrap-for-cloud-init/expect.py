"""The image has disabled cloud-init. bootstrap cannot use a script as custom data: cloud-init is enabled and runs it."""

import package

MARK = "/var/tmp/script-ran"


def drive(t):
    node = t.node
    package.install(node, t.binaries)
    script = f"#!/bin/sh\ntouch {MARK}\n".encode()
    t.switch_cloud_init_off(script)
    # cloud-init does not treat a container as an Azure VM, so it finds the same data in its other seed.
    node.seed(script.decode())
    node.boot()
    node.wait_for_path(MARK, t.case.timeout)
    t.check(not node.exists("/etc/cloud/cloud-init.disabled"), "cloud-init's switch is still there")
    t.check("left to cloud-init" in node.read("/var/log/azure/aks-node-controller.log"), "the log does not say why")
    t.check(not node.azure.health(), f"Azure heard {node.azure.health()} of bootstrap")
    t.check(node.unit_state("aks-node-bootstrap.service") == "active", "the unit failed")
