"""The packages for another architecture than this machine's: installed, upgraded and removed by this machine's dpkg and rpm, extracted, and
their programs started in the emulator. Programs of the trees do not run, so scripts run outside (dpkg) or in a tree of this machine (rpm).

SUNUP_SYSROOT is the directory with the libraries of that architecture (tools/sysroot.py).
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import packages
from packages import ARCH, BUILD, UNITS, VERSION, machine_copy, memory, one, pack, pack_version_before, run
from lifecycle_test import LINK, PROGRAM, extensible, rpm_base, states

SYSROOT = pathlib.Path(os.environ["SUNUP_SYSROOT"])
EMULATOR = os.environ["SUNUP_EMULATOR"]


def version_of(program: pathlib.Path):
    """The output of the installed program, in the emulator, with the libraries of its architecture."""
    with tempfile.TemporaryDirectory() as root:
        return run(EMULATOR, "-L", SYSROOT, program, "version", env={**os.environ, "SUNUP_ROOT": root}).strip()


@unittest.skipIf(os.geteuid() != 0, "only root may install packages, mount images or enter another root")
class Foreign(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        cls.now = pack(cls.scratch / "now")
        cls.before = pack_version_before(cls.scratch / "before", "--only", "deb,rpm")

    def is_the_build(self, root: pathlib.Path):
        self.assertEqual((root / PROGRAM).read_bytes(), (BUILD / "apps/aks-node-controller").read_bytes())
        self.assertEqual(version_of(root / PROGRAM), VERSION)

    def lives_through(self, root, install, remove):
        install(self.before)
        self.assertEqual(states(root), ["enabled", "enabled"])
        run("systemctl", f"--root={root}", "--no-reload", "disable", UNITS[0])
        install(self.now)
        self.is_the_build(root)
        self.assertEqual(version_of(root / "usr/bin/sunup"), VERSION)
        self.assertEqual(states(root), ["disabled", "enabled"], "an upgrade leaves what the administrator did")
        self.assertEqual(os.readlink(root / LINK), "/usr/bin/aks-node-controller")
        remove()
        self.assertEqual(states(root), ["not-found", "not-found"])
        for path in PROGRAM, LINK, "usr/bin/sunup", f"usr/lib/systemd/system/{UNITS[1]}":
            self.assertFalse(os.path.lexists(root / path), path)

    def test_deb(self):
        with memory() as root:
            database = root / "var/lib/dpkg"
            for folder in "info", "updates", "triggers":
                (database / folder).mkdir(parents=True)
            # A tree that has libc6 of that architecture, as the sysroot does, and systemd.
            status = (SYSROOT / "var/lib/dpkg/status").read_text()
            database.joinpath("status").write_text(
                f"{status.rstrip()}\n\nPackage: systemd\nStatus: install ok installed\nArchitecture: {ARCH}\nMulti-Arch: foreign\n"
                "Maintainer: none\nVersion: 252\nDescription: systemd\n")
            dpkg = ("dpkg", f"--root={root}", "--force-script-chrootless", "--force-not-root", "--no-triggers")
            refused = subprocess.run([*dpkg, "--install", one(self.now, "sunup_", ".deb")], capture_output=True, text=True)
            self.assertIn("does not match system", refused.stderr)
            run("dpkg", f"--root={root}", "--add-architecture", ARCH)

            def install(found):
                run(*dpkg, "--install", one(found, "aks-node-controller_", ".deb"), one(found, "sunup_", ".deb"))

            self.lives_through(root, install, lambda: run(*dpkg, "--remove", f"aks-node-controller:{ARCH}", f"sunup:{ARCH}"))

    def test_rpm(self):
        with machine_copy() as root:
            shutil.rmtree(root / "var/lib/rpm", ignore_errors=True)
            run("rpm", f"--root={root}", "--install", rpm_base("2.38", self.scratch))
            refused = subprocess.run(["rpm", f"--root={root}", "--install", one(self.now, "sunup-", ".rpm")], capture_output=True, text=True)
            self.assertIn("intended for a different architecture", refused.stderr)

            def install(found):
                run("rpm", f"--root={root}", "--ignorearch", "--upgrade", *(p for p in found if p.endswith(".rpm")))

            self.lives_through(root, install, lambda: run("rpm", f"--root={root}", "--erase", "aks-node-controller", "sunup"))

    def test_sysext(self):
        image = one(self.now, "aks-node-controller-", ".raw")
        with memory() as root:
            extensible(root)
            (root / "etc/extensions").mkdir(parents=True)
            shutil.copyfile(image, root / "etc/extensions/aks-node-controller.raw")
            subprocess.run(["systemd-sysext", f"--root={root}", "merge"], capture_output=True, check=False)
            self.assertFalse((root / PROGRAM).exists(), "systemd of this machine merges what is not for it")
        tree = self.scratch / "sysext"
        run("unsquashfs", "-quiet", "-no-progress", "-dest", tree, image)
        self.assertIn(f"ARCHITECTURE={ARCH}\n", (tree / "usr/lib/extension-release.d/extension-release.aks-node-controller").read_text())
        self.is_the_build(tree)

    def test_tar(self):
        tree = self.scratch / "tar"
        tree.mkdir()
        run("tar", "--extract", "--gzip", "--file", one(self.now, f"aks-node-controller-{VERSION}-linux-", ".tar.gz"), "--directory", tree)
        run("systemctl", f"--root={tree}", "enable", *UNITS)
        self.assertEqual(states(tree), ["enabled", "enabled"])
        self.is_the_build(tree)

    def test_every_format_of_the_table_has_a_test(self):
        for form in packages.tried("arm64"):
            self.assertTrue(callable(getattr(self, f"test_{form}")), form)


if __name__ == "__main__":
    packages.in_own_mounts()
    unittest.main(verbosity=2)
