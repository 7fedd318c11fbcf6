"""The packages, installed, upgraded from an older version and removed by dpkg, rpm and systemd-sysext themselves."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import packages
from packages import BEFORE, UNITS, VERSION, machine_copy, memory, one, pack, pack_version_before, run

PROGRAM = "usr/bin/aks-node-controller"
LINK = "opt/azure/containers/aks-node-controller"


def states(root):
    """The state of both units: enabled, disabled or not-found."""
    shown = [subprocess.run(["systemctl", f"--root={root}", "is-enabled", unit], capture_output=True, text=True) for unit in UNITS]
    return [s.stdout.strip() or "not-found" for s in shown]


def rpm_base(glibc: str, scratch: pathlib.Path):
    """An rpm that provides what Azure Linux 3 provides for the packages."""
    spec = scratch / f"base-{glibc}.spec"
    spec.write_text(f"Name: base\nVersion: {glibc}\nRelease: 1\nSummary: base\nLicense: MIT\nBuildArch: noarch\n"
                    f"Provides: glibc = {glibc}\nProvides: systemd = 255\nProvides: /bin/sh\n%description\nbase\n%files\n")
    run("rpmbuild", "-bb", "--quiet", "--define", f"_topdir {scratch}/base", spec)
    return next((scratch / "base/RPMS").rglob(f"base-{glibc}-*.rpm"))


# Of the distributions whose programs come as system extensions.
OS_RELEASES = {
    "flatcar": "ID=flatcar\nVERSION_ID=4230.2.0\nSYSEXT_LEVEL=1.0\n",
    "acl": 'ID=azurelinux\nVERSION_ID="3.0"\nVARIANT_ID=azurecontainerlinux\n',
}


def extensible(root: pathlib.Path, os_release: str = OS_RELEASES["flatcar"]):
    """The parts of such an image that affect an extension: its own /usr, a writable /opt."""
    for directory in "usr/bin", "usr/lib/systemd/system", "opt/azure/containers", "var/log", "etc", "run":
        (root / directory).mkdir(parents=True)
    (root / "usr/lib/os-release").write_text(os_release)
    (root / "usr/bin/own").write_text("of the image")
    (root / "etc/machine-id").write_text("0" * 31 + "1\n")
    (root / LINK).write_text("the original")


@unittest.skipIf(os.geteuid() != 0, "only root may install packages, mount images or enter another root")
class Lifecycle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        only = ("--only", "deb,rpm,sysext")
        cls.now = pack(cls.scratch / "now", *only)
        cls.before = pack_version_before(cls.scratch / "before", *only)

    def version_in(self, root):
        return run("chroot", root, "/opt/azure/containers/aks-node-controller", "version").strip()

    def lives_through(self, root, install, remove):
        """install(packages) installs or upgrades, remove() removes both."""
        # The image's own program, as in real images, is replaced.
        (root / LINK).parent.mkdir(parents=True, exist_ok=True)
        (root / LINK).write_text("#!/bin/sh\necho the original\n")
        (root / LINK).chmod(0o755)

        install(self.before)
        self.assertEqual(self.version_in(root), "version")  # the output of the older program
        self.assertEqual(states(root), ["enabled", "enabled"])
        self.assertEqual(os.readlink(root / LINK), "/usr/bin/aks-node-controller")
        run("systemctl", f"--root={root}", "--no-reload", "disable", UNITS[0])

        install(self.now)
        self.assertEqual(self.version_in(root), VERSION)
        self.assertEqual(run("chroot", root, "sunup", "version").strip(), VERSION)
        self.assertEqual(states(root), ["disabled", "enabled"], "an upgrade leaves what the administrator did")

        (root / "opt/azure/containers/provision.json").write_text("{}")
        remove()
        self.assertEqual(states(root), ["not-found", "not-found"])
        for path in PROGRAM, LINK, "usr/bin/sunup", f"usr/lib/systemd/system/{UNITS[1]}", f"etc/systemd/system/multi-user.target.wants/{UNITS[1]}":
            self.assertFalse(os.path.lexists(root / path), path)
        self.assertTrue((root / "opt/azure/containers/provision.json").exists(), "what the node wrote stays")

        install(self.now)
        self.assertEqual(states(root), ["enabled", "enabled"])

    def test_every_format_of_the_table_has_a_test(self):
        for form in packages.tried("amd64"):
            self.assertTrue(callable(getattr(self, f"test_{form}")), form)

    def test_deb(self):
        with machine_copy() as root:
            def install(found):
                run("dpkg", f"--root={root}", "--install", one(found, "aks-node-controller_", ".deb"), one(found, "sunup_", ".deb"))

            self.lives_through(root, install, lambda: run("dpkg", f"--root={root}", "--remove", "aks-node-controller", "sunup"))
            # Image builders also install into a tree without entering it.
            run("dpkg", f"--root={root}", "--remove", "aks-node-controller")
            run("dpkg", f"--root={root}", "--force-script-chrootless", "--install", one(self.now, "aks-node-controller_", ".deb"))
            self.assertEqual(states(root), ["enabled", "enabled"])

    def rpm(self, root, *args):
        return run("rpm", f"--root={root}", *args)

    def test_rpm(self):
        with machine_copy() as root:
            shutil.rmtree(root / "var/lib/rpm", ignore_errors=True)
            self.rpm(root, "--install", rpm_base("2.38", self.scratch))

            def install(found):
                self.rpm(root, "--upgrade", *(p for p in found if p.endswith(".rpm")))

            self.lives_through(root, install, lambda: self.rpm(root, "--erase", "aks-node-controller", "sunup"))
            self.assertEqual(self.rpm(root, "--verify", "aks-node-controller", "sunup"), "", "all files are as packed")
            with self.assertRaisesRegex(AssertionError, "older|newer|conflicts"):
                self.rpm(root, "--upgrade", one(self.before, "aks-node-controller-", ".rpm"))

    def test_rpm_refuses_a_machine_with_an_older_glibc(self):
        with machine_copy() as root:
            shutil.rmtree(root / "var/lib/rpm", ignore_errors=True)
            self.rpm(root, "--install", rpm_base("2.34", self.scratch))
            with self.assertRaisesRegex(AssertionError, r"glibc >= 2\.35 is needed"):
                self.rpm(root, "--install", one(self.now, "aks-node-controller-", ".rpm"))

    def extension(self, root, found):
        (root / "etc/extensions").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(one(found, "aks-node-controller-", ".raw"), root / "etc/extensions/aks-node-controller.raw")

    def test_sysext(self):
        self.assertEqual(set(OS_RELEASES), set(packages.tried("amd64")["sysext"]["stands for"]))
        for system, os_release in OS_RELEASES.items():
            with self.subTest(system), memory() as root:
                self.extension_lives_through(root, os_release)

    def extension_lives_through(self, root, os_release):
        extensible(root, os_release)
        self.extension(root, self.before)
        run("systemd-sysext", f"--root={root}", "merge")
        self.assertEqual(run(root / PROGRAM, "version").strip(), "version")
        self.assertTrue((root / "usr/bin/own").exists())
        run("systemd-tmpfiles", f"--root={root}", "--create", "aks-node-controller.conf")
        self.assertEqual(os.readlink(root / LINK), "/usr/bin/aks-node-controller")
        self.assertTrue((root / "var/log/azure").is_dir())
        # The boot starts the units, and the directory of the result is writable.
        for unit in UNITS:
            self.assertTrue((root / "usr/lib/systemd/system/multi-user.target.wants" / unit).exists(), unit)
        (root / "opt/azure/containers/provision.json").write_text("{}")

        self.extension(root, self.now)
        run("systemd-sysext", f"--root={root}", "refresh")
        self.assertEqual(run(root / PROGRAM, "version").strip(), VERSION)

        (root / "etc/extensions/aks-node-controller.raw").unlink()
        run("systemd-sysext", f"--root={root}", "refresh")
        self.assertFalse((root / PROGRAM).exists())
        self.assertTrue((root / "usr/bin/own").exists())

    def test_sysext_of_another_architecture_is_not_merged(self):
        with memory() as root, tempfile.TemporaryDirectory() as programs:
            [other] = {"amd64", "arm64"} - {packages.ARCH}
            packages.echo_of(other, programs)
            found = run(packages.SOURCE / "packaging/build", programs, self.scratch / "other", "--fast", "--arch", other, "--version", BEFORE,
                        "--only", "sysext").split()
            extensible(root)
            self.extension(root, found)
            subprocess.run(["systemd-sysext", f"--root={root}", "merge"], capture_output=True, check=False)
            self.assertFalse((root / PROGRAM).exists())


if __name__ == "__main__":
    packages.in_own_mounts()
    unittest.main(verbosity=2)
