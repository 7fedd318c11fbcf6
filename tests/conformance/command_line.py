#!/usr/bin/env python3
"""The interface of `sunup render env` that scripts use: exit codes, output streams, and text that shells can read.

usage: command_line.py SUNUP
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SUNUP = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
COMPONENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "components.json")


class RenderEnv(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def config(self, **members):
        return self.file("config.json", json.dumps({"version": "v1", **members}))

    def render(self, *args):
        return subprocess.run([SUNUP, "render", "env", *args], capture_output=True, text=True, timeout=60, check=False)

    def assert_refused(self, done, code):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_prints_one_sorted_object_of_strings(self):
        done = self.render("--config", self.config(vm_size="Standard_NC6s_v3"), "--components", COMPONENTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        environment = json.loads(done.stdout)
        self.assertEqual(list(environment), sorted(environment))
        self.assertTrue(all(isinstance(value, str) for value in environment.values()))
        self.assertEqual(environment["GPU_DRIVER_VERSION"], "580.159.04")

    def test_has_no_gpu_versions_without_a_component_list(self):
        environment = json.loads(self.render("--config", self.config()).stdout)
        self.assertEqual(environment["GPU_DRIVER_VERSION"], "")

    def test_gives_the_same_bytes_for_the_same_input(self):
        config = self.config(kubelet_config={"kubelet_flags": {str(i): "x" for i in range(50)}})
        self.assertEqual(self.render("--config", config).stdout, self.render("--config", config).stdout)

    def test_sh_format_gives_a_shell_the_very_same_values(self):
        config = self.config(message_of_the_day="it's\n$(touch /nowhere) `x` \\ \"q\" *\t é", kube_proxy_url="'", outbound_command="-n")
        expected = json.loads(self.render("--config", config).stdout)
        script = self.file("env.sh", self.render("--config", config, "--format", "sh").stdout)
        for shell in ("/bin/sh", "/bin/bash"):
            out = subprocess.run(["env", "-i", shell, "-c", '. "$1"; exec env -0', shell, script],
                                 capture_output=True, check=True).stdout.decode("utf-8")
            got = dict(entry.split("=", 1) for entry in out.split("\0") if entry)
            self.assertEqual({key: got.get(key) for key in expected}, expected, shell)

    def test_warns_of_what_it_tolerates_and_goes_on(self):
        config = self.config(a_field_of_tomorrow=1, custom_linux_os_config={"sysctl_config": {"net_ipv4_ip_local_port_range": "9 5"}})
        done = self.render("--config", config)
        self.assertEqual(done.returncode, 0)
        self.assertIn("a_field_of_tomorrow", done.stderr)
        self.assertIn("port range end value should be greater", done.stderr)
        json.loads(done.stdout)

    def test_refuses_a_bad_config_with_its_place_and_exit_code_1(self):
        for text in ("", "{", '{"version": "v2"}', '{"version": "v1", "vm_size": 1}'):
            done = self.render("--config", self.file("bad.json", text))
            self.assert_refused(done, 1)
            self.assertIn("bad.json", done.stderr)

    def test_refuses_a_bad_component_list_with_exit_code_1(self):
        done = self.render("--config", self.config(), "--components", self.file("c.json", "[]"))
        self.assert_refused(done, 1)
        self.assertIn("c.json", done.stderr)

    def test_exits_2_for_wrong_use_and_missing_files(self):
        config = self.config()
        for args in (["--config", "/nonexistent"], [], ["--config", config, "--format", "xml"], ["--config", config, "--wrong"],
                     ["--config", config, "--components", "/nonexistent"], ["--config", self.folder]):
            self.assert_refused(self.render(*args), 2)

    def test_says_so_when_the_output_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([SUNUP, "render", "env", "--config", self.config()], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("No space left", done.stderr)

    def test_help_has_an_example(self):
        done = self.render("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("sunup render env --config", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
