"""The disk was captured without being prepared for it, with all marks, results and credentials of the first VM."""

import json
import uuid

import azurenode
import beside_agent
import delivered
import package
from controlplane import DOMAIN

COMPLETE = "/opt/azure/containers/provision.complete"
HOST_KEYS = ("/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_ed25519_key.pub")
CERTIFICATE = "/var/lib/kubelet/pki/kubelet-client-current.pem"
STAMPS = "/opt/m"  # when provisioning started and ended, of every run


def drive(t):
    t.boot()
    t.wait_ready()
    node = t.node
    node.wait_for_path(f"/var/lib/sunup/instances/{node.azure.vm_id}/done", t.case.timeout)
    t.first_ready = [state for _, state, _ in node.azure.health()]
    t.first = {"name": node.name, "vm_id": node.azure.vm_id, "keys": [node.read(path) for path in HOST_KEYS],
               "certificate": node.run(["openssl", "x509", "-noout", "-serial", "-in", CERTIFICATE]).stdout, "complete": node.modified(COMPLETE)}
    delivered.events(t)  # the agent removes events before it sends them: those of the first VM must not be lost with its end
    node.shut_down()
    become_another(t)
    node.boot()


def become_another(t):
    """A new VM with this disk: another name, id, network card and address, and a disc of its own."""
    node, name = t.node, f"another-{t.row.name}"
    node.name = node.azure.name = name
    t.api_server = f"{name}.{DOMAIN}"
    node.azure.vm_id = str(uuid.uuid5(uuid.NAMESPACE_DNS, name))
    node.address = node.mac = ""
    azurenode.write_firmware(node)
    package.seed(node, t.custom_data())


def check(t):
    node, first = t.node, t.first
    node.wait_for_path(f"/var/lib/sunup/instances/{node.azure.vm_id}/done", t.case.timeout)
    t.check(node.path("/var/lib/sunup/instances/").joinpath(first["vm_id"]).exists() is False, "the state of the first VM is still there")
    t.check(node.read("/etc/hostname") == node.name + "\n" and node.run(["hostname"]).stdout.strip() == node.name, f"the host name is {node.read('/etc/hostname')!r}")
    for path, text in zip(HOST_KEYS, first["keys"]):
        t.check(node.read(path) != text, f"{path} is still that of the first VM")
    t.check(node.read(beside_agent.PROVISIONED).strip() == node.azure.vm_id, "the agent takes the VM for the first one")
    t.check(node.modified(COMPLETE) > first["complete"], "the result is that of the first VM")
    check_certificate(t)
    check_nothing_left(t)
    beside_agent.wait_for_agent(t)
    states = [state for _, state, _ in node.azure.health()]
    t.check(t.first_ready == ["Ready"] and states == ["Ready", "Ready"], f"Azure heard {node.azure.health()}")
    t.check(json.loads(node.read("/var/log/azure/aks/provision.json"))["ExitCode"] == "0", "the result is a failure")
    t.cp.kubectl("delete", "node", first["name"], "--ignore-not-found")


def check_certificate(t):
    told = t.node.run(["openssl", "x509", "-noout", "-serial", "-subject", "-in", CERTIFICATE]).stdout
    t.check(t.first["certificate"].strip() not in told and f"system:node:{t.node.name}" in told, f"kubelet's certificate is {told}")


def check_nothing_left(t):
    """The other VM's id and name are in no file except logs and stamps."""
    found = t.node.search({what: t.first[what].encode() for what in ("name", "vm_id")})
    t.check(any(where.startswith("/var/log/") for where, _, _ in found.files), "the search finds not even the logs of the first VM")
    left = sorted({(where, what) for where, what, _ in found.files if where != STAMPS and not where.startswith("/var/log/")})
    t.check(not left, f"files that still tell of the first VM: {left}")
