"""The Debian packages, installed by dpkg itself into an empty directory."""
import os
import pathlib
import re
import stat
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["SUNUP_SOURCE_DIR"])
BIN = os.environ["SUNUP_BIN"]
VERSION = os.environ["SUNUP_VERSION"]
WANTS = "etc/systemd/system/multi-user.target.wants"
UNITS = ["aks-node-controller.path", "aks-node-controller.service"]


def pack(out):
    done = subprocess.run([SOURCE / "packaging/deb/build", BIN, out, "-Znone"], capture_output=True, text=True,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "1000000000"})
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@unittest.skipIf(os.geteuid() != 0, "only root may install a package, even into a directory")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.out = pathlib.Path(cls.scratch.name) / "out"
        cls.root = pathlib.Path(cls.scratch.name) / "root"
        cls.out.mkdir()
        for directory in "info", "updates", "triggers":
            (cls.root / "var/lib/dpkg" / directory).mkdir(parents=True)
        (cls.root / "var/lib/dpkg/status").touch()
        cls.packages = pack(cls.out)
        cls.dpkg("-i", *cls.packages)

    @classmethod
    def dpkg(cls, *args):
        # The maintainer scripts see the directory in DPKG_ROOT, as when an image is built.
        done = subprocess.run(["dpkg", f"--root={cls.root}", "--force-script-chrootless", "--force-depends", *args],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_files_and_modes(self):
        found = {}
        for package in "aks-node-controller", "sunup":
            listed = (self.root / f"var/lib/dpkg/info/{package}.list").read_text().split()
            for path in listed:
                info = os.lstat(self.root / path.lstrip("/"))
                self.assertEqual((info.st_uid, info.st_gid), (0, 0), path)
                if not stat.S_ISDIR(info.st_mode):
                    found[path] = "link" if stat.S_ISLNK(info.st_mode) else oct(stat.S_IMODE(info.st_mode))
                else:
                    self.assertEqual(oct(stat.S_IMODE(info.st_mode)), "0o755", path)
        self.assertEqual(found, {
            "/opt/azure/containers/aks-node-controller": "link",
            "/usr/bin/aks-node-controller": "0o755",
            "/usr/bin/sunup": "0o755",
            "/usr/lib/systemd/system-preset/90-aks-node-controller.preset": "0o644",
            "/usr/lib/systemd/system/aks-node-controller.path": "0o644",
            "/usr/lib/systemd/system/aks-node-controller.service": "0o644",
            "/usr/share/bash-completion/completions/aks-node-controller": "0o644",
            "/usr/share/bash-completion/completions/sunup": "0o644",
            "/usr/share/doc/aks-node-controller/copyright": "0o644",
            "/usr/share/doc/sunup/copyright": "0o644",
            "/usr/share/man/man1/sunup.1.gz": "0o644",
            "/usr/share/man/man8/aks-node-controller.8.gz": "0o644"})

    def test_the_path_that_images_know_leads_to_the_program(self):
        link = self.root / "opt/azure/containers/aks-node-controller"
        self.assertEqual(os.readlink(link), "/usr/bin/aks-node-controller")

    def test_units_are_enabled_and_nothing_else_is_there(self):
        self.assertEqual(sorted(os.listdir(self.root / WANTS)), UNITS)

    def test_the_version_is_the_programs(self):
        for package in self.packages:
            shown = subprocess.run(["dpkg-deb", "-f", package, "Version"], capture_output=True, text=True).stdout
            self.assertEqual(shown.strip(), VERSION)

    def test_the_same_sources_give_the_same_bytes(self):
        again = pathlib.Path(self.scratch.name) / "again"
        again.mkdir()
        for first, second in zip(self.packages, pack(again)):
            self.assertEqual(subprocess.run(["cmp", first, second]).returncode, 0)

    def test_removal_takes_the_units_out_of_the_boot(self):
        try:
            self.dpkg("-r", "aks-node-controller")
            self.assertFalse((self.root / WANTS).exists() and os.listdir(self.root / WANTS))
            self.assertFalse((self.root / "usr/bin/aks-node-controller").exists())
        finally:
            self.dpkg("-i", *self.packages)


class Words(unittest.TestCase):
    """What stands beside the programs tells of every command there is."""

    def setUp(self):
        with tempfile.TemporaryDirectory() as root:
            help_text = subprocess.run([f"{BIN}/aks-node-controller", "help"], env={"SUNUP_ROOT": root},
                                       capture_output=True, text=True, check=True).stdout
        commands = help_text.split("COMMANDS:")[1].split("OPTIONS:")[0]
        self.commands = re.findall(r"^   ([a-z-]+) ", commands, re.MULTILINE)
        self.assertIn("provision", self.commands)

    def test_completion(self):
        words = (SOURCE / "packaging/completions/aks-node-controller.bash").read_text()
        self.assertEqual([c for c in self.commands if not re.search(rf"[ \"]{c}[ \"]", words)], [])

    def test_manual_page(self):
        page = (SOURCE / "packaging/man/aks-node-controller.8").read_text()
        self.assertEqual([c for c in self.commands if c != "help" and f".B aks-node-controller {c}" not in page], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
