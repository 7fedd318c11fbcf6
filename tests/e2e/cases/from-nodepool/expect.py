"""The complete path of docs/from-nodepool-to-node.md, and back: the node must match its pool and its class."""

import base64
import json
import os
import subprocess

import case
import package
import pods
from resolving import DNS, Resolving

# The "native" steps or the "scripts" of the image provision the node. The controller chooses by the contents of the image.
MODE = os.environ.get("SUNUP_E2E_MODE", "native")


def drive(t):
    template = resolve(t)
    package.install(t.node, t.binaries)
    if MODE == "scripts":
        subprocess.run(["cp", "-rT", "--preserve=mode", case.HERE / "cases/scripts-mode/files", t.node.root], check=True)
    t.node.seed(base64.b64decode(template["customData"]).decode())
    t.boot()
    node = t.wait_ready()
    code, output = t.provision_wait()
    t.check(code == 0, f"provision-wait ended with {code}: {output}")
    check_node(t, node, template)
    pods.check(t)


def resolve(t) -> dict:
    r = Resolving(t)
    # Of the node's image, which may be older than the cluster.
    r.write_settings(kubernetes_version=t.row.version)
    r.open_cluster()
    done = r.run(*r.trusted(), "--bootstrap", "nodeconfig")
    t.check(done.returncode == 0, f"resolve ended with {done.returncode}: {done.stderr}")
    template = json.loads(done.stdout)
    t.check(template["warnings"] == [], f"warnings: {template['warnings']}")
    t.check(template["cse"] == "/opt/azure/containers/aks-node-controller provision-wait", f"the extension's command: {template['cse']}")
    return template


def check_node(t, node, template):
    labels = node["metadata"]["labels"]
    for name, value in {"team": "web", "karpenter.sh/nodepool": "general", "kubernetes.azure.com/role": "agent",
                        "node.kubernetes.io/instance-type": template["vmSize"]}.items():
        t.check(labels.get(name) == value, f"label {name} is {labels.get(name)}, not {value}")
    taints = {f"{taint['key']}={taint.get('value', '')}:{taint['effect']}" for taint in node["spec"].get("taints", [])}
    t.check({"dedicated=web:NoSchedule", "karpenter.sh/unregistered=:NoExecute"} <= taints, f"taints: {taints}")
    t.check(node["status"]["capacity"]["pods"] == "60", f"the class's maxPods did not reach kubelet: {node['status']['capacity']}")
    t.check(node["status"]["nodeInfo"]["kubeletVersion"] == f"v{template['kubernetesVersion']}", "another version runs")
    arguments = t.node.run(["cat", f"/proc/{t.node.run(['systemctl', 'show', '--property=MainPID', '--value', 'kubelet']).stdout.strip()}/cmdline"])
    t.check(DNS in arguments.stdout, "kubelet was not told the cluster's DNS address")
    check_drift(t, node, template)


def check_drift(t, node, template):
    """A new node has not drifted from its sources."""
    (t.node.dir / "template.json").write_text(json.dumps(template))
    (t.node.dir / "node.json").write_text(json.dumps(node | {"kind": "Node"}))
    done = subprocess.run([t.binaries / "sunup", "drift", t.node.dir / "node.json", t.node.dir / "template.json"], capture_output=True, text=True)
    t.check(done.returncode == 0 and done.stdout == "no drift\n", f"drift of a new node: {done.stdout}{done.stderr}")
