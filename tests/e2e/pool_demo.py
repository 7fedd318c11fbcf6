"""The demo from a NodePool and its AKSNodeClass: their custom data, and the node compared with them."""

import base64
import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import parts
from controlplane import DOMAIN, ControlPlane
from node import Node
from resolving import EXAMPLES, Resolving
from story import title


class PoolDemo:
    def __init__(self, node: Node, cp: ControlPlane, binaries: Path, row: parts.Parts):
        self.node, self.cp, self.binaries, self.row = node, cp, binaries, row

    def custom_data(self) -> bytes:
        """Like a controller that creates nodes: renders a launch template from the pool, its class and the cluster."""
        title("A pool and its class: examples/fleet/")
        for name in ("nodepool.yaml", "nodeclass.yaml"):
            print("".join(f"  {line}\n" for line in (EXAMPLES / name).read_text().splitlines() if not line.startswith("#")))
        resolving = Resolving(SimpleNamespace(node=self.node, cp=self.cp, binaries=self.binaries, api_server=f"{self.node.name}.{DOMAIN}"))
        resolving.write_settings(kubernetes_version=self.row.version)
        resolving.open_cluster()
        title("Which source decides what (some of it), the cluster itself among them")
        words = [*resolving.trusted(), "--bootstrap", "nodeconfig"]
        shown = "--settings settings.yaml --nodepool nodepool.yaml --nodeclass nodeclass.yaml --cluster https://... --bootstrap nodeconfig"
        print(f"  $ sunup resolve {shown} --explain")
        for line in self.output_of(resolving.command(*words, "--explain")).splitlines():
            if re.search(r"SET BY|osDiskSizeGB|--max-pods|--cluster-dns|--register-with-taints|kubernetesVersion|^ +team ", line):
                print(f"  {line[:150].rstrip()}")
        title("The launch template, and the custom data in it")
        print(f"  $ sunup resolve {shown}")
        template = self.output_of(resolving.command(*words))
        (self.node.dir / "template.json").write_text(template)
        return base64.b64decode(json.loads(template)["customData"])

    @staticmethod
    def output_of(command) -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        if done.returncode != 0:
            raise RuntimeError(f"sunup resolve ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def compare(self) -> bool:
        """Shows that the node matches its pool and class, also according to sunup drift."""
        title("The node beside its pool and class")
        node = json.loads(self.cp.kubectl("get", "node", self.node.name, "-o", "json"))
        for name in ("team", "karpenter.sh/nodepool", "karpenter.sh/capacity-type", "node.kubernetes.io/instance-type", "kubernetes.azure.com/role"):
            print(f"  label  {name}={node['metadata']['labels'].get(name, '(none)')}")
        for taint in node["spec"].get("taints", []):
            print(f"  taint  {taint['key']}={taint.get('value', '')}:{taint['effect']}")
        print(f"  pods   {node['status']['capacity']['pods']} (maxPods of the class)")
        title("Has it drifted from what it was made from?")
        (self.node.dir / "node.json").write_text(json.dumps(node))
        print("  $ sunup drift node.json template.json")
        done = subprocess.run([self.binaries / "sunup", "drift", self.node.dir / "node.json", self.node.dir / "template.json"],
                              capture_output=True, text=True, check=False)
        print("".join(f"  {line}\n" for line in (done.stdout + done.stderr).splitlines()), end="")
        return done.returncode == 0
