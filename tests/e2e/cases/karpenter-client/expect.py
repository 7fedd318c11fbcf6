"""Karpenter in provision mode bootstrappingclient, up to the VM: its client and its code for the token are compiled from its module."""

import base64
import json
import re
import subprocess

import k8s
import package
import triggers
from resolving import DNS, Resolving

SUBSCRIPTION = "12345678-1234-1234-1234-123456789012"
SUBNET = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes"


def drive(t):
    answer = ask(t)
    t.check(answer["cse"] == "/opt/azure/containers/aks-node-controller provision-wait", f"the extension's command: {answer['cse']}")
    custom_data = base64.b64decode(answer["customData"])
    t.check(custom_data.count(t.cp.token.encode()) == 1, "the token does not stand in the custom data once")
    package.install(t.node, t.binaries)
    triggers.seed(t.node, custom_data)
    t.boot()
    node = t.wait_ready()
    code, output = t.provision_wait()
    t.check(code == 0, f"provision-wait ended with {code}: {output}")
    check_node(t, node)


def ask(t) -> dict:
    """A server that knows the cluster and no token, and a client that knows the token."""
    client = k8s.extra("karpenter-client")
    r = Resolving(t)
    r.write_settings(cluster_endpoint=f"https://{t.api_server}:443", ca_bundle=base64.b64encode((t.cp.dir / "ca.crt").read_bytes()).decode(), dns_service_ip=DNS,
                     kubelet_bootstrap_token=None)
    server = subprocess.Popen([t.binaries / "sunup", "serve", "--port", "0", "--settings", r.settings], stderr=subprocess.PIPE, text=True)
    try:
        line = server.stderr.readline()
        listening = re.search(r"listening on (\S+)", line)
        t.check(listening is not None, f"the server did not start: {line}")
        argv = [client, f"--server={listening[1]}", f"--subscription={SUBSCRIPTION}", "--resource-group=rg", "--cluster=demo", f"--subnet={SUBNET}",
                f"--token={t.cp.token}", f"--version={t.row.version}"]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
        refused = subprocess.run([*argv, "--distro=no-such-distro"], capture_output=True, text=True, timeout=60)
    finally:
        server.terminate()
        server.communicate()
    # The client shows the server's error only if it has the form that Karpenter's API description gives it.
    shown = "[400]" in refused.stderr and "provisionProfile.distro is 'no-such-distro'" in refused.stderr
    t.check(refused.returncode != 0 and shown, f"Karpenter's client does not show why it was refused: {refused.stderr}")
    t.check(done.returncode == 0, f"Karpenter's client is refused: {done.stderr}")
    return json.loads(done.stdout)


def check_node(t, node):
    mode = t.node.path(triggers.CONFIG).stat().st_mode & 0o777
    t.check(mode == 0o600, f"the config has mode {mode:o}")
    labels = node["metadata"]["labels"]
    for name, value in {"karpenter.sh/nodepool": "default", "kubernetes.azure.com/mode": "user", "topology.kubernetes.io/zone": "eastus-1"}.items():
        t.check(labels.get(name) == value, f"label {name} is {labels.get(name)}, not {value}")
    taints = {f"{taint['key']}={taint.get('value', '')}:{taint['effect']}" for taint in node["spec"].get("taints", [])}
    t.check({"team=a:NoSchedule", "karpenter.sh/unregistered=:NoExecute"} <= taints, f"taints: {taints}")
    t.check(node["status"]["capacity"]["pods"] == "110", f"maxPods did not reach kubelet: {node['status']['capacity']}")
    t.check(node["status"]["nodeInfo"]["kubeletVersion"] == f"v{t.row.version}", "another version runs")
