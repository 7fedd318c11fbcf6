#!/usr/bin/env python3
"""The Flatcar form, validated by Debian's ignition-validate and applied by its Ignition to an empty root."""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

import client

ENGINE = "/usr/lib/dracut/modules.d/30ignition/ignition"


def apply(document: bytes, root: Path) -> str:
    """Runs Ignition's own stages on this root, as an initramfs would. Returns its log."""
    # Debian's build always labels the files that it wrote; a stand-in for setfiles replaces a whole SELinux policy.
    (root / "etc/selinux").mkdir(parents=True)
    (root / "etc/selinux/config").write_text("SELINUXTYPE=none\n")
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")
    log = ""
    with tempfile.TemporaryDirectory() as work:
        config = Path(work) / "config.ign"
        config.write_bytes(document)
        setfiles = Path(work) / "setfiles"
        setfiles.write_text("#!/bin/sh\nexec cat >/dev/null\n")
        setfiles.chmod(0o755)
        environment = {"PATH": f"{work}:{os.environ['PATH']}", "IGNITION_CONFIG_FILE": str(config)}
        for stage in ("fetch-offline", "files"):
            argv = [ENGINE, "--log-to-stdout", f"--stage={stage}", "--platform=file", f"--root={root}", f"--config-cache={work}/cache.json",
                    f"--neednet={work}/neednet", f"--state-file={work}/state"]
            done = subprocess.run(argv, env=environment, capture_output=True, text=True)
            log += done.stdout + done.stderr
            if done.returncode != 0:
                raise AssertionError(f"ignition {stage} ended with {done.returncode}:\n{log[-3000:]}")
    return log


class Ignition(unittest.TestCase):
    def test_validate_accepts_every_way_to_write_it(self):
        for words in (["--os", "flatcar"], ["--os", "flatcar", "--gzip", "always"], ["--os", "acl"]):
            with tempfile.NamedTemporaryFile(suffix=".ign") as file:
                file.write(client.render(*words))
                file.flush()
                done = subprocess.run(["ignition-validate", file.name], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""), words)

    @unittest.skipUnless(os.geteuid() == 0, "Ignition sets the owner of files, which only root may")
    def test_applying_it_gives_the_files_and_an_enabled_unit(self):
        for words in ([], ["--gzip", "always"]):
            with tempfile.TemporaryDirectory() as directory:
                root = Path(directory)
                apply(client.render("--os", "flatcar", *words, "--hook", *client.HOOKS), root)
                hooks = root / client.HOOKS_PATH.lstrip("/")
                self.assertEqual({p.name: p.read_text() for p in hooks.iterdir()}, {p.name: p.read_text() for p in client.HOOKS})
                self.assertEqual({stat.S_IMODE(p.stat().st_mode) for p in hooks.iterdir()}, {0o600})
                self.assertEqual({stat.S_IMODE(p.stat().st_mode) for p in (hooks, hooks.parent)}, {0o755})
                config = root / client.CONFIG_PATH.lstrip("/")
                self.assertEqual(stat.S_IMODE(config.stat().st_mode), 0o600)
                self.assertEqual(client.meaning(config.read_text())["message_of_the_day"], client.NASTY)
                self.assertEqual((root / client.FEATURES_PATH.lstrip("/")).read_text(), client.FEATURES)
                preset = (root / "etc/systemd/system-preset/20-ignition.preset").read_text()
                self.assertIn("enable aks-node-controller.service", preset)
                subprocess.run(["systemctl", f"--root={root}", "preset", "aks-node-controller.service"], check=True, capture_output=True)
                self.assertTrue((root / "etc/systemd/system/multi-user.target.wants/aks-node-controller.service").is_symlink())

    def test_the_tools_are_there(self):
        # A check that did not run must not look like one that passed.
        for tool in ("ignition-validate", ENGINE, "systemctl"):
            self.assertIsNotNone(shutil.which(tool), f"{tool} is missing: ./dev deps test")


if __name__ == "__main__":
    unittest.main()
