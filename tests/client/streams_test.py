#!/usr/bin/env python3
"""The input and output of sunup: full disks, closed descriptors, devices, directories, standard input."""

import json
import os
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

import client

GOOD = client.SOURCE / "tests" / "config" / "good.json"
FLEET = client.SOURCE / "examples" / "fleet"
LOGS = client.SOURCE / "tests" / "timeline" / "cases" / "native" / "input"
SOURCES = ["--settings", FLEET / "settings.yaml", "--nodepool", FLEET / "nodepool.yaml", "--nodeclass", FLEET / "nodeclass.yaml"]
# Every command that prints, with arguments that succeed.
PRINTING = [
    ["version"], ["--help"], ["exit-code", "50"], ["exit-code"], ["exit-code", "50", "--format", "json"],
    ["config", "check", GOOD], ["config", "explain"], ["config", "explain", "vm_size"], ["config", "schema"], ["config", "diff", GOOD, GOOD],
    ["render", "env", "--config", GOOD], ["render", "cse"], ["render", "custom-data", "--config", GOOD], ["render", "vmss", "--config", GOOD],
    ["resolve", *SOURCES], ["resolve", *SOURCES, "--explain"], ["resolve", *SOURCES, "--format", "script"],
    ["cluster-id", "abc"], ["nodeclass", "hash", FLEET / "nodeclass.yaml"], ["timeline", LOGS], ["timeline", "diff", LOGS, LOGS],
]


def words(argv):
    return [client.SUNUP, *map(str, argv)]


class Streams(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dir = Path(temporary.name)

    def run_in(self, *argv, **options):
        return subprocess.run(words(argv), capture_output=True, text=True, timeout=60, cwd=self.dir, **options)


class Output(Streams):
    def test_a_full_disk_is_said_once_with_exit_code_2(self):
        others = [["render", "files", "--config", GOOD, "--out", self.dir / "node"], ["resolve", *SOURCES, "--batch", FLEET / "claims.jsonl"]]
        for argv in PRINTING + others:
            with self.subTest(argv), open("/dev/full", "w") as full:
                done = subprocess.run(words(argv), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr, "sunup: writing to standard output: No space left on device\n")

    def test_a_reader_that_went_away_is_not_talked_about(self):
        for argv in (["config", "explain"], ["config", "schema"]):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run(words(argv), stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
            os.close(write)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr, "")

    def test_closed_descriptors_are_no_ones_file(self):
        for argv in PRINTING:
            with self.subTest(argv):
                shell = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *words(argv)]
                self.assertEqual(subprocess.run(shell, timeout=60).returncode, 0)

    def test_out_writes_into_devices_and_fifos_and_through_symlinks(self):
        fifo, link, real = self.dir / "fifo", self.dir / "link", self.dir / "real"
        os.mkfifo(fifo)
        link.symlink_to(real)
        real.write_text("old")
        for name, bundle in (("timeline", [LOGS, "--format", "json"]), ("collect", ["--from", LOGS])):
            self.assertEqual(self.run_in(name, *bundle, "--out", "/dev/null").returncode, 0)
            self.assertEqual(self.run_in(name, *bundle, "--out", link).returncode, 0)
            self.assertTrue(link.is_symlink())
            self.assertNotEqual(real.read_bytes(), b"old")
            with subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE) as reader:
                self.assertEqual(self.run_in(name, *bundle, "--out", fifo).returncode, 0)
                self.assertGreater(len(reader.stdout.read()), 100)
            self.assertTrue(stat.S_ISFIFO(fifo.lstat().st_mode))

    def test_out_makes_no_directories(self):
        config = ["--config", GOOD]
        for argv in (["timeline", LOGS], ["collect", "--from", LOGS], ["render", "files", *config]):
            done = self.run_in(*argv, "--out", "no/such/place")
            self.assertEqual(done.returncode, 2, argv)
            self.assertRegex(done.stderr, r"(?i)no/such.*no such (file or )?directory")
            self.assertEqual(list(self.dir.iterdir()), [])

    def test_render_files_wants_a_folder(self):
        (self.dir / "file").write_text("")
        done = self.run_in("render", "files", "--config", GOOD, "--out", "file")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("file: Not a directory", done.stderr)


class Input(Streams):
    def test_a_directory_is_no_file(self):
        cases = [["status", "parse"], ["drift", self.dir], ["nodeclass", "hash"], ["render", "env", "--config"], ["render", "files", "--out", "x", "--config"],
                 ["render", "custom-data", "--config"], ["render", "vmss", "--config"], ["config", "check"], ["config", "diff", GOOD],
                 ["resolve", "--settings"], ["resolve", "--nodepool"], ["resolve", "--nodeclass"], ["resolve", *SOURCES, "--nodeclaim"],
                 ["resolve", *SOURCES, "--instance-type"], ["resolve", *SOURCES, "--batch"], ["resolve", *SOURCES, "--image-versions"],
                 ["timeline", LOGS, "--budget"]]
        for argv in cases:
            with self.subTest(argv):
                done = self.run_in(*argv, self.dir)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(f"{self.dir}: Is a directory", done.stderr)

    def test_a_file_is_no_directory(self):
        for argv in (["collect", "--from", GOOD], ["timeline", GOOD.parent / "CMakeLists.txt"]):
            done = self.run_in(*argv)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is not a directory", done.stderr)
            self.assertEqual(list(self.dir.iterdir()), [])

    def test_a_dash_is_standard_input_everywhere(self):
        template = self.run_in("resolve", *SOURCES).stdout
        (self.dir / "today.json").write_text(template)
        cases = [(["render", "env", "--config"], GOOD), (["render", "custom-data", "--config"], GOOD), (["render", "vmss", "--config"], GOOD),
                 (["render", "custom-data", "--verbatim", "--config"], GOOD), (["config", "diff", GOOD], GOOD),
                 (["resolve", *SOURCES[2:], "--settings"], SOURCES[1]), (["resolve", *SOURCES[:2], *SOURCES[4:], "--nodepool"], SOURCES[3]),
                 (["nodeclass", "hash"], FLEET / "nodeclass.yaml"), (["drift", "today.json"], self.dir / "today.json")]
        for argv, file in cases:
            with self.subTest(argv):
                named = self.run_in(*argv, file)
                piped = self.run_in(*argv, "-", input=Path(file).read_text())
                self.assertEqual((piped.returncode, piped.stdout), (named.returncode, named.stdout), piped.stderr)
                self.assertEqual(piped.returncode, 0, piped.stderr)
        done = self.run_in("render", "files", "--out", "node", "--config", "-", input=GOOD.read_text())
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_standard_input_can_be_named_once(self):
        done = self.run_in("config", "diff", "-", "-", input=GOOD.read_text())
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("given twice", done.stderr)


class Drift(Streams):
    def test_no_drift_is_said_only_of_what_was_compared(self):
        (self.dir / "today.json").write_text(self.run_in("resolve", *SOURCES).stdout)
        nothing = {"empty": "", "list": '{"kind": "List", "items": []}', "other": '{"kind": "List", "items": [{"kind": "ConfigMap"}]}',
                   "bare": '{"kind": "Node"}', "odd": '{"kind": "Node", "metadata": [1]}'}
        for name, text in nothing.items():
            (self.dir / name).write_text(text)
            for argv in (["drift", name, "today.json"], ["drift", "today.json", name], ["drift", name, name]):
                with self.subTest(argv):
                    done = self.run_in(*argv)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertTrue(done.stderr.startswith("sunup drift: "), done.stderr)
        self.assertEqual(self.run_in("drift", "today.json", "today.json").returncode, 0)


class RenderOfWhatTheCheckRejects(Streams):
    def setUp(self):
        super().setUp()
        config = json.loads(GOOD.read_text()) | {"kubernetes_version": "latest"}
        (self.dir / "bad.json").write_text(json.dumps(config, indent=1))

    def test_what_only_looks_at_it_says_nothing_of_nodes(self):
        done = self.run_in("render", "env", "--config", "bad.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_it_is_rendered_with_the_errors_on_stderr(self):
        for argv in (["custom-data"], ["vmss"], ["files", "--out", "node"]):
            done = self.run_in("render", *argv, "--config", "bad.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"(?m)^bad\.json:\d+:\d+: error: \$\.kubernetes_version: ")
            self.assertRegex(done.stderr, r"(?m)^sunup: bad\.json: 1 error;.*`sunup config check`")

    def test_strict_refuses_it(self):
        for argv in (["env"], ["custom-data"], ["vmss"], ["files", "--out", "node"]):
            done = self.run_in("render", *argv, "--strict", "--config", "bad.json")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            done = self.run_in("render", *argv, "--strict", "--config", GOOD)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
