#!/usr/bin/env python3
"""The shipped units, and the one inside the Ignition config, checked by systemd itself."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import client

UNITS = client.SOURCE / "packaging/systemd"
SERVICE = "aks-node-controller.service"


def directives(text: str) -> list[str]:
    return [line for line in text.splitlines() if "=" in line and not line.startswith("#")]


def ignition_unit() -> str:
    return json.loads(client.render("--os", "flatcar"))["systemd"]["units"][0]["contents"]


def verify(files: dict[str, str]):
    """The output of systemd-analyze for these units, with a root that contains their program."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        program = root / "opt/azure/containers/aks-node-controller"
        program.parent.mkdir(parents=True)
        shutil.copy("/bin/true", program)
        (root / "bin").mkdir()
        shutil.copy("/bin/true", root / "bin/sh")
        units = root / "etc/systemd/system"
        units.mkdir(parents=True)
        for target in ("sysinit.target", "basic.target", "shutdown.target"):  # units with default dependencies refer to these
            (units / target).write_text("[Unit]\n")
        for name, text in files.items():
            (units / name).write_text(text)
        argv = ["systemd-analyze", "verify", f"--root={root}", *files]
        return subprocess.run(argv, capture_output=True, text=True)


class Units(unittest.TestCase):
    def test_systemd_accepts_what_ships(self):
        done = verify({p.name: p.read_text() for p in UNITS.iterdir() if p.suffix in (".service", ".path")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_systemd_accepts_the_unit_inside_ignition(self):
        done = verify({SERVICE: ignition_unit()})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_check_notices_a_mistake(self):
        broken = (UNITS / SERVICE).read_text().replace("Type=oneshot", "Type=oneshoot")
        self.assertIn("oneshoot", verify({SERVICE: broken}).stderr)

    def test_the_unit_inside_ignition_differs_only_in_how_it_starts(self):
        shipped = {d for d in directives((UNITS / SERVICE).read_text())}
        inside = {d for d in directives(ignition_unit())}
        config = "/opt/azure/containers/aks-node-controller-config.json"
        self.assertEqual(inside - shipped, {d for d in inside if d.startswith("ExecStart=")} | {f"ConditionPathExists={config}"})
        self.assertEqual({d.split("=")[0] for d in shipped - inside}, {"ConditionPathExistsGlob", "ExecStart"})

    def test_nothing_is_ordered_behind_basic_target(self):
        for unit in (SERVICE, "aks-node-controller.path"):
            lines = directives((UNITS / unit).read_text())
            self.assertIn("DefaultDependencies=no", lines)
            after = {unit for d in lines if d.startswith("After=") for unit in d.removeprefix("After=").split()}
        # systemd-tmpfiles runs before sysinit.target.
        self.assertLessEqual(after, {"network-online.target", "systemd-tmpfiles-setup.service"})

    def test_both_units_can_be_enabled_in_an_image(self):
        with tempfile.TemporaryDirectory() as root:
            target = Path(root) / "usr/lib/systemd/system"
            target.mkdir(parents=True)
            for unit in UNITS.iterdir():
                shutil.copy(unit, target)
            names = [SERVICE, "aks-node-controller.path"]
            subprocess.run(["systemctl", f"--root={root}", "enable", *names], check=True, capture_output=True)
            wants = Path(root) / "etc/systemd/system/multi-user.target.wants"
            self.assertEqual(sorted(p.name for p in wants.iterdir()), sorted(names))


if __name__ == "__main__":
    unittest.main()
