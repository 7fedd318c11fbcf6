#!/usr/bin/env python3
"""The routes that the page uses give the answers of the command lines."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from serving import EXAMPLES, SOURCE, SUNUP, server

sys.path[:0] = [str(SOURCE / "tests/golden"), str(SOURCE / "tests/nbc")]
import command  # noqa: E402
import image  # noqa: E402

CONTROLLER = os.environ["AKS_NODE_CONTROLLER"]
# A machine with one network interface, as the route assumes.
METADATA = {"network": {"interface": [{"macAddress": "000000000000", "ipv4": {"ipAddress": [{"privateIpAddress": "192.0.2.1"}]}}]}}


def run(*argv, stdin=b"") -> bytes:
    return subprocess.run(argv, input=stdin, capture_output=True, timeout=60).stdout


class SameAnswers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        context = server()
        cls.url = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        cls.configs = {name: (EXAMPLES / f"node/{name}.json").read_bytes() for name in ("config", "broken")}
        cls.command = command.command_for(SUNUP, cls.configs["config"]).encode()

    def ask(self, path: str, body: bytes | None = None):
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(urllib.request.Request(self.url + path, body), timeout=60) as reply:
            return json.loads(reply.read())

    def test_check(self):
        for text in (*self.configs.values(), self.command, self.command.replace(b"LOCATION=", b"LOCATION=$(x)", 1), b"{", b"", b"\xff"):
            told = json.loads(run(SUNUP, "config", "check", "--format", "json", "-", stdin=text))
            file = told.pop("files")[0]
            self.assertEqual(self.ask("v1/config/check", text), {"refused": file["refused"], "findings": file["findings"], **told})

    def test_diff(self):
        with tempfile.TemporaryDirectory() as folder:
            for left, right in ((self.configs["config"], self.configs["broken"]), (self.configs["config"], self.command)):
                for name, text in (("left", left), ("right", right)):
                    (Path(folder) / name).write_bytes(text)
                told = json.loads(run(SUNUP, "config", "diff", "--format", "json", f"{folder}/left", f"{folder}/right"))
                self.assertEqual(self.ask("v1/config/diff", json.dumps({"left": left.decode(), "right": right.decode()}).encode()), told)
                self.assertNotEqual(told, [])

    def test_explain_and_schema(self):
        for field in ("", "kubelet_config.kubelet_flags", "maxPods", "LOCATION", "CSE_HELPERS_FILEPATH"):
            argv = [field] if field else []
            told = run(SUNUP, "config", "explain", "--format", "json", *argv)
            if not told:
                with self.assertRaises(urllib.error.HTTPError):
                    self.ask(f"v1/config/explain?field={field}")
                continue
            self.assertEqual(self.ask(f"v1/config/explain?field={field}"), json.loads(told), field)
        self.assertEqual(self.ask("v1/config/schema"), json.loads(run(SUNUP, "config", "schema")))

    def test_config_of_a_command(self):
        told = json.loads(run(SUNUP, "config", "from-nbc", "-", stdin=self.command))
        self.assertEqual(self.ask("v1/config/from-nbc", self.command)["config"], told)

    def test_plan_is_that_of_the_node(self):
        for text in (self.configs["config"], self.command):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder)
                image.make(path / "root", {"os": "ubuntu2204"}, json.loads(self.configs["config"]))
                (path / "config").write_bytes(text)
                (path / "metadata").write_text(json.dumps(METADATA))
                told = json.loads(run(CONTROLLER, "plan", "--provision-config", path / "config", "--format", "json", "--root", path / "root",
                                      "--metadata", path / "metadata"))
                made = self.ask("v1/plan", text)
                self.assertGreater(len(made.pop("assumed")), 0)
                made.pop("unused")
                self.assertEqual(made, told)


if __name__ == "__main__":
    unittest.main()
