#!/usr/bin/env python3
"""The route of the plan gives the answer of `aks-node-controller plan` on an image as the route assumes it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(os.environ["SUNUP_SOURCE_DIR"]) / "tests"
sys.path[:0] = [str(TESTS / name) for name in ("golden", "nbc", "server")]
import command  # noqa: E402
import image  # noqa: E402
from serving import CONFIG, SUNUP, Case  # noqa: E402

CONTROLLER = os.environ["AKS_NODE_CONTROLLER"]
# A machine with one network interface, as the route assumes.
METADATA = {"network": {"interface": [{"macAddress": "000000000000", "ipv4": {"ipAddress": [{"privateIpAddress": "192.0.2.1"}]}}]}}


def run(*argv) -> bytes:
    return subprocess.run(argv, capture_output=True, timeout=60, check=True).stdout


class Plan(Case):
    def test_plan_is_that_of_the_node(self):
        server = self.serve()
        for text in (CONFIG.encode(), command.command_for(SUNUP, CONFIG.encode()).encode()):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder)
                image.make(path / "root", {"os": "ubuntu2204"}, json.loads(CONFIG))
                (path / "config").write_bytes(text)
                (path / "metadata").write_text(json.dumps(METADATA))
                told = json.loads(run(CONTROLLER, "plan", "--provision-config", path / "config", "--format", "json", "--root", path / "root",
                                      "--metadata", path / "metadata"))
                status, answer, _ = server.ask("POST", "/v1/plan", text)
                self.assertEqual(status, 200, answer)
                made = json.loads(answer)
                self.assertGreater(len(made.pop("assumed")), 0)
                made.pop("unused")
                self.assertEqual(made, told)


if __name__ == "__main__":
    unittest.main()
