#!/usr/bin/env python3
"""Karpenter's own client against `sunup serve`: what it gets, fills the token into and would hand to a VM is a boothook that writes the
config with that token, 0600, and nothing else that has it.

The client is compiled from the Go module registry into $SUNUP_CACHE by tests/e2e/k8s.py; without Go and without the cache the test is skipped.
"""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import client
from boothook_test import Node, parts

sys.path.insert(0, str(client.SOURCE / "tests" / "e2e"))

TOKEN = "abcdef.0123456789abcdef"
SETTINGS = client.SOURCE / "examples" / "fleet" / "settings.yaml"
SUBNET = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes"


def program() -> Path:
    """Karpenter's client; $KARPENTER_CLIENT names a compiled one."""
    if given := os.environ.get("KARPENTER_CLIENT"):
        return Path(given)
    try:
        import k8s
    except ImportError as missing:
        raise unittest.SkipTest(f"the cache of compiled programs cannot be used: {missing}") from missing
    made = k8s.extra("karpenter-client")
    if not made.exists() and shutil.which("go") is None:
        raise unittest.SkipTest("there is no Go to compile Karpenter's client with, and it is not in the cache")
    k8s.ensure(made)
    return made


class Service:
    """`sunup serve` for the cluster of the examples, without a bootstrap token in its settings."""

    def __enter__(self):
        self.scratch = tempfile.TemporaryDirectory()
        settings = Path(self.scratch.name) / "settings.yaml"
        settings.write_text("".join(line for line in SETTINGS.read_text().splitlines(True) if not line.startswith("kubelet-bootstrap-token")))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([client.SUNUP, "serve", "--port", str(self.port), "--settings", settings], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "listening" in line:
                return self
        raise AssertionError("sunup serve did not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.stderr.close()
        self.process.wait(20)
        self.scratch.cleanup()

    def ask(self, *extra, cluster="demo"):
        return subprocess.run([program(), f"--server=127.0.0.1:{self.port}", "--subscription=12345678-1234-1234-1234-123456789012", "--resource-group=demo-rg",
                               f"--cluster={cluster}", f"--subnet={SUBNET}", f"--token={TOKEN}", *extra], capture_output=True, text=True, timeout=60)


class Karpenter(unittest.TestCase):
    def test_gets_a_node_whose_config_has_the_token(self):
        with Service() as service:
            done = service.ask("--version=1.34.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["cse"], "/opt/azure/containers/aks-node-controller provision-wait")
        data = base64.b64decode(answer["customData"])
        self.assertEqual(data.count(TOKEN.encode()), 1)
        self.assertNotIn(b"{{.Token", data)
        node = Node()
        for kind, body in parts(data):
            if kind == "text/cloud-boothook":
                self.assertEqual(node.boot(body).returncode, 0)
        config = node.path(client.CONFIG_PATH)
        self.assertEqual(config.stat().st_mode & 0o777, 0o600)
        told = json.loads(config.read_text())
        self.assertEqual(told["bootstrapping_config"]["tls_bootstrapping_token"], TOKEN)
        self.assertEqual(told["kubernetes_version"], "1.34.2")
        flags = told["kubelet_config"]["kubelet_flags"]
        self.assertEqual(flags["--max-pods"], "110")
        self.assertEqual(flags["--cpu-manager-policy"], "static")
        self.assertEqual(flags["--kube-reserved"], "cpu=100m,memory=1843Mi")  # 2 vCPUs and 8 GiB, as the client derives them
        self.assertEqual(flags["--register-with-taints"], "team=a:NoSchedule,karpenter.sh/unregistered:NoExecute")
        self.assertEqual(told["kubelet_config"]["kubelet_node_labels"]["karpenter.sh/nodepool"], "default")
        checked = client.run("config", "check", str(config))
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_shows_its_user_why_it_is_refused(self):
        with Service() as service:
            unknown = service.ask("--distro=aks-nothing")
            other = service.ask(cluster="another")
        self.assertNotEqual(unknown.returncode, 0)
        self.assertIn("provisionProfile.distro is 'aks-nothing'", unknown.stderr)
        self.assertNotEqual(other.returncode, 0)
        self.assertIn("the name of the cluster", other.stderr)


if __name__ == "__main__":
    unittest.main()
