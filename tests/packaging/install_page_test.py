"""Every command of docs/install.md, run on trees like the images that it is about.

A line of an ```sh block that ends with two spaces and "# TEXT" must print TEXT if TEXT is one word; VERSION stands for the version. A block
below "<!-- not run: REASON -->" is not run, and the reason is printed. The commands of a section share a directory with all packages.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import packages
from packages import ARCH, BUILD, SOURCE, VERSION, machine_copy, memory, pack, run
from lifecycle_test import LINK, extensible, rpm_base

sys.path.insert(0, str(SOURCE / "tests/golden"))
import image  # noqa: E402

PAGE = SOURCE / "docs/install.md"
OTHER_NAMES = {"amd64": "arm64", "x86_64": "aarch64", "x86-64": "arm64"}


def blocks():
    """(section, reason not to run it or "", lines) of every block."""
    section, reason, lines = "", "", None
    for line in PAGE.read_text().splitlines():
        if lines is not None:
            if line == "```":
                yield section, reason, lines
                reason, lines = "", None
            else:
                lines.append(line)
        elif line.startswith("#"):
            section = line.lstrip("# ")
        elif match := re.fullmatch(r"<!-- not run: (.+) -->", line):
            reason = match[1]
        elif line == "```sh":
            lines = []
        elif line.startswith(("```", "    ")) and line.strip():
            raise AssertionError(f"only ```sh blocks are run: {line}")


@unittest.skipIf(os.geteuid() != 0, "only root may install packages, mount images or enter another root")
class InstallPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.directory = pathlib.Path(scratch.name)
        pack(cls.directory)
        cls.blocks = list(blocks())

    def follow(self, section, tree):
        """Runs the section's commands in their order."""
        mine = [(reason, lines) for name, reason, lines in self.blocks if name == section]
        self.assertTrue(mine, f"the page has no commands in a section '{section}'")
        for reason, lines in mine:
            for line in lines:
                command, _, told = (part.strip() for part in line.partition("  # "))
                if reason:
                    print(f"not run: {command}: {reason}")
                    continue
                if ARCH != "amd64":
                    command = re.sub("|".join(OTHER_NAMES), lambda m: OTHER_NAMES[m[0]], command)
                done = subprocess.run(["bash", "-euc", command], cwd=self.directory, capture_output=True, text=True, check=False,
                                      env={**os.environ, "TREE": str(tree), "PATH": f"{BUILD}/apps:{os.environ['PATH']}"})
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
                if told and " " not in told:
                    self.assertEqual(done.stdout.strip(), told.replace("VERSION", VERSION), command)

    def test_every_section_is_followed(self):
        followed = re.findall(r'self\.follow\("([^"]+)"', pathlib.Path(__file__).read_text())
        self.assertEqual({name for name, _, _ in self.blocks}, set(followed))

    def test_before_all_others(self):
        # Who builds one kind of image has only its package.
        with tempfile.TemporaryDirectory() as some:
            for file in (self.directory / "SHA256SUMS", *self.directory.glob("aks-node-controller_*.deb")):
                shutil.copy(file, some)
            self.directory = pathlib.Path(some)
            self.follow("Installing Sunup in a node image", "/nonexistent")

    def test_debian(self):
        with machine_copy() as tree:
            self.follow("Ubuntu and Debian", tree)
            self.assertFalse(os.path.lexists(tree / LINK))

    def test_azure_linux(self):
        with machine_copy() as tree, tempfile.TemporaryDirectory() as scratch:
            shutil.rmtree(tree / "var/lib/rpm", ignore_errors=True)
            run("rpm", f"--root={tree}", "--install", rpm_base("2.38", pathlib.Path(scratch)))
            self.follow("Azure Linux", tree)
            self.assertFalse(os.path.lexists(tree / LINK))

    def test_flatcar(self):
        with memory() as tree:
            extensible(tree)
            self.follow("Flatcar and Azure Container Linux", tree)
            self.assertFalse((tree / "usr/bin/aks-node-controller").exists())
            self.assertFalse(os.path.lexists(tree / LINK))

    def test_other_images(self):
        with tempfile.TemporaryDirectory() as tree:
            self.follow("Other images", tree)
            self.assertEqual(os.readlink(pathlib.Path(tree) / LINK), "/usr/bin/aks-node-controller")
            self.assertTrue((pathlib.Path(tree) / "etc/systemd/system/multi-user.target.wants/aks-node-controller.path").is_symlink())

    def test_a_copy_of_the_image_is_provisioned(self):
        case = SOURCE / "tests/golden/cases/azure"
        shutil.copy(case / "config.json", self.directory)
        with tempfile.TemporaryDirectory() as scratch:
            tree = pathlib.Path(scratch) / "tree"
            image.make(tree, json.loads((case / "facts.json").read_text()), json.loads((case / "config.json").read_text()))
            # Parts of a real image that golden cases do not have.
            for path in ("usr/bin/containerd", "usr/bin/runc", "usr/lib/systemd/system/containerd.service"):
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_text("")
            database = tree / "var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db"
            database.parent.mkdir(parents=True)
            shutil.copy(SOURCE / "tests/fuzz/seeds/image_database/pause.db", database)
            self.follow("Testing an image", tree)
            self.assertTrue((self.directory / "copy/opt/azure/containers/provision.complete").exists())
            self.assertFalse((tree / "opt/azure/containers/provision.complete").exists())


if __name__ == "__main__":
    packages.in_own_mounts()
    unittest.main(verbosity=2)
