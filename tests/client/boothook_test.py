#!/usr/bin/env python3
"""The boothook, taken out of the custom data by Python's own MIME parser (the one cloud-init uses) and run by /bin/sh."""

import email
import gzip
import os
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

import client

DIRECTORY = "/opt/azure/containers"


def parts(data: bytes):
    message = email.message_from_bytes(data)
    assert message.is_multipart(), "not a multipart message"
    return [(p.get_content_type(), p.get_payload(decode=True).decode("ascii")) for p in message.get_payload()]


class Node:
    """A directory that the script treats as a node: its paths are redirected there, and stand-ins record their calls."""

    def __init__(self, systemctl="exit 0"):
        self.scratch = tempfile.TemporaryDirectory()
        self.root = Path(self.scratch.name)
        self.calls = self.root / "calls"
        self.bin = self.root / "bin"
        self.bin.mkdir()
        self.program("systemctl", systemctl)
        self.program("logger", "exit 0")

    def program(self, name, body, directory=None):
        path = (directory or self.bin) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "{name} $* umask=$(umask)" >>{self.calls}\n{body}\n')
        path.chmod(0o755)

    def boot(self, script):
        moved = script.replace("/opt/azure", f"{self.root}/opt/azure").replace("/var/log/azure", f"{self.root}/var/log/azure")
        moved = moved.replace("/etc/aks", f"{self.root}/etc/aks")
        # cloud-init drops the first line and whatever white space follows it.
        file = self.root / "hook"
        file.write_text(moved.removeprefix("#cloud-boothook").lstrip())
        file.chmod(0o700)
        # Background processes of the hook inherit this pipe, so its end means that all of them have ended.
        alive, inherited = os.pipe()
        try:
            return subprocess.run([file], env={"PATH": f"{self.bin}:{os.environ['PATH']}"}, pass_fds=(inherited,), capture_output=True, text=True)
        finally:
            os.close(inherited)
            os.read(alive, 1)
            os.close(alive)

    def path(self, path):
        return self.root / path.lstrip("/")

    def called(self, name):
        if not self.calls.exists():
            return []
        return [line for line in self.calls.read_text().splitlines() if line.startswith(name + " ")]


class Boothook(unittest.TestCase):
    def setUp(self):
        self.parts = parts(client.render())
        self.script = self.parts[0][1]

    def test_custom_data_is_a_boothook_and_a_cloud_config(self):
        self.assertEqual([kind for kind, _ in self.parts], ["text/cloud-boothook", "text/cloud-config"])
        self.assertTrue(self.parts[1][1].startswith("#cloud-config\n"))

    def test_packed_custom_data_is_the_same_inside(self):
        self.assertEqual(parts(gzip.decompress(client.render("--gzip", "always"))), self.parts)

    def test_config_and_features_land_whole_and_for_root_only(self):
        node = Node()
        done = node.boot(self.script)
        self.assertEqual(done.returncode, 0, done.stderr)
        for path in (client.CONFIG_PATH, client.FEATURES_PATH):
            self.assertEqual(stat.S_IMODE(node.path(path).stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(node.path(DIRECTORY).stat().st_mode), 0o755)
        self.assertEqual(node.path(client.FEATURES_PATH).read_text(), client.FEATURES)
        config = client.meaning(node.path(client.CONFIG_PATH).read_text())
        self.assertEqual(config["message_of_the_day"], client.NASTY)
        self.assertEqual(config["kubelet_config"]["kubelet_flags"], {client.NASTY: client.NASTY})
        self.assertEqual(sorted(p.name for p in node.path(DIRECTORY).iterdir()),
                         ["aks-node-controller-config.json", "enabled_features.sh"], "something was left behind")

    def test_hooks_land_before_the_config_and_only_root_can_change_them(self):
        node = Node()
        script = parts(client.render("--hook", *client.HOOKS))[0][1]
        self.assertLess(script.rindex(client.HOOKS_PATH), script.index(client.CONFIG_PATH))
        done = node.boot(script)
        self.assertEqual(done.returncode, 0, done.stderr)
        folder = node.path(client.HOOKS_PATH)
        self.assertEqual({p.name: p.read_text() for p in folder.iterdir()}, {p.name: p.read_text() for p in client.HOOKS})
        for path in folder.iterdir():
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        for path in folder, folder.parent:
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o755)
        self.assertEqual(client.meaning(node.path(client.CONFIG_PATH).read_text())["message_of_the_day"], client.NASTY)

    def test_a_placeholder_stands_in_plain_text_and_is_replaced_on_the_way(self):
        config = {**client.CONFIG, "bootstrapping_config": {"tls_bootstrapping_token": "{{.TokenID}}.{{.TokenSecret}}"}}
        data = client.render("--placeholder", "{{.TokenID}}.{{.TokenSecret}}", config=config)
        self.assertEqual(data.count(b"{{.TokenID}}.{{.TokenSecret}}"), 1)
        node = Node()
        done = node.boot(parts(data.replace(b"{{.TokenID}}.{{.TokenSecret}}", b"abcdef.0123456789abcdef"))[0][1])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(stat.S_IMODE(node.path(client.CONFIG_PATH).stat().st_mode), 0o600)
        written = client.meaning(node.path(client.CONFIG_PATH).read_text())
        self.assertEqual(written["bootstrapping_config"]["tls_bootstrapping_token"], "abcdef.0123456789abcdef")
        self.assertEqual(written["message_of_the_day"], client.NASTY)
        self.assertEqual(node.path(client.FEATURES_PATH).read_text(), client.FEATURES)
        self.assertFalse(Path("/tmp/owned").exists())

    def test_the_address_for_results_is_there_before_the_config(self):
        for placeholder in ([], ["--placeholder", "1.33.1"]):
            with self.subTest(placeholder):
                script = parts(client.render("--results-url", "https://sunup.example:8443/", *placeholder))[0][1]
                node = Node()
                self.assertEqual(node.boot(script).returncode, 0)
                file = node.path(f"{DIRECTORY}/aks-node-controller-results.json")
                self.assertEqual(client.meaning(file.read_text()), {"url": "https://sunup.example:8443"})
                self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
                self.assertEqual(client.meaning(node.path(client.CONFIG_PATH).read_text())["message_of_the_day"], client.NASTY)
                # A script that ends between the two files leaves no config, which would start the controller.
                node = Node()
                self.assertEqual(node.boot(script.replace(f"put {DIRECTORY}/aks-node-controller-results.json", "exit 1\ncat")).returncode, 1)
                self.assertFalse(node.path(client.CONFIG_PATH).exists())

    def test_controller_is_started_once_without_waiting_for_boot(self):
        node = Node()
        node.boot(self.script)
        self.assertEqual(node.called("systemctl"),
                         ["systemctl start --no-block --job-mode=ignore-dependencies aks-node-controller.service umask=0022"])

    def test_nothing_happens_on_a_boot_after_provisioning_has_ended(self):
        node = Node()
        node.path(DIRECTORY).mkdir(parents=True)
        node.path(f"{DIRECTORY}/provision.complete").touch()
        done = node.boot(self.script)
        self.assertEqual(done.returncode, 0)
        self.assertFalse(node.calls.exists())
        self.assertFalse(node.path(client.CONFIG_PATH).exists())

    def test_a_result_is_enough_unless_it_is_that_of_the_prepared_image(self):
        for names, starts in (((), 0), (("base_prep.complete",), 1), ((".provision.unfinished",), 1),
                              (("base_prep.complete", "provision.complete"), 0)):
            with self.subTest(names):
                node = Node()
                node.path(DIRECTORY).mkdir(parents=True)
                node.path("/var/log/azure/aks").mkdir(parents=True)
                node.path("/var/log/azure/aks/provision.json").write_text('{"ExitCode":"9"}')
                for name in names:
                    node.path(f"{DIRECTORY}/{name}").touch()
                self.assertEqual(node.boot(self.script).returncode, 0)
                self.assertEqual(len(node.called("systemctl")) if node.calls.exists() else 0, starts)

    def test_a_boot_that_interrupted_provisioning_starts_it_again(self):
        node = Node()
        node.boot(self.script)
        node.boot(self.script)
        self.assertEqual(len(node.called("systemctl")), 2)

    def test_an_old_image_is_started_through_its_launcher_and_nothing_else(self):
        node = Node()
        node.program("aks-node-controller-launcher.sh", "", node.path(DIRECTORY))
        node.program("provision_preload.sh", "", node.path(DIRECTORY))
        node.boot(self.script)
        self.assertEqual(node.called("aks-node-controller-launcher.sh"), ["aks-node-controller-launcher.sh  umask=0022"])
        self.assertEqual(len(node.called("provision_preload.sh")), 1)
        self.assertEqual(node.called("systemctl"), [])

    def test_without_the_unit_the_program_itself_is_started(self):
        node = Node(systemctl="exit 5")
        node.program("aks-node-controller", "", node.path(DIRECTORY))
        node.boot(self.script)
        self.assertEqual(node.called("aks-node-controller"), ["aks-node-controller launch umask=0022"])

    def test_a_config_that_cannot_be_written_is_not_half_written(self):
        node = Node()
        node.program("base64", "printf half; exit 1")
        done = node.boot(self.script)
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(node.path(client.CONFIG_PATH).exists())
        self.assertEqual(node.called("systemctl"), [])


if __name__ == "__main__":
    unittest.main()
