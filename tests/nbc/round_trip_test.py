#!/usr/bin/env python3
"""Command -> config -> environment: the environment is the command's own, but for the differences of differences.py.

Every command of ../shared/corpus-nbc is read; so is the command that production would send for each config of the
recorded cases (tests/conformance) and of ../shared/corpus. bash is the judge of what a written command says: a command
is refused if bash does not get as far as the script, and is read as bash reads it otherwise. One that bash reads, but not
as it was meant (the sender does not escape anything), may be refused.
"""
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import command
import differences

SUNUP = os.environ["SUNUP"]
SOURCE = pathlib.Path(os.environ["SUNUP_SOURCE_DIR"])
SHARED = SOURCE.parent / "shared"
sys.path.insert(0, str(SOURCE / "tests/conformance"))
import cases  # noqa: E402


def recorded_configs():
    """(name, bytes, containerd version) of all available configs."""
    for case in cases.load():
        yield case["name"], case["config"], case.get("containerd_version", "")
    folders = sorted(glob.glob(str(SHARED / "corpus" / "*")))
    if not folders:
        print("skipped: ../shared/corpus is not there", file=sys.stderr)
    for folder in folders:
        with open(folder + "/config.json", "rb") as config, open(folder + "/case.json") as case:
            yield os.path.basename(folder), config.read(), json.load(case).get("containerd_version", "")


def as_bash_reads_it(text):
    """The variables that the script would get; None if bash does not reach the script."""
    assignments = text[text.index("ADMINUSER="):]
    if "$(" in assignments or "`" in assignments or command.END.strip() not in assignments:
        return None
    script = assignments.replace(command.END.strip(), "/usr/bin/env -0")
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["/bin/bash", "-c", script], cwd=folder, env={}, capture_output=True)
    if run.returncode != 0 or run.stderr:
        return None
    pairs = (item.split("=", 1) for item in run.stdout.decode(errors="surrogateescape").split("\0") if item)
    return {name: value for name, value in pairs if name not in ("PWD", "SHLVL", "_", "OLDPWD")}


def from_nbc(text):
    with tempfile.NamedTemporaryFile(suffix=".sh") as file:
        file.write(text.encode())
        file.flush()
        return subprocess.run([SUNUP, "config", "from-nbc", file.name], capture_output=True)


def environment_of(config, containerd):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(config)
        file.flush()
        return command.environment(SUNUP, file.name, containerd)


class RoundTrip(unittest.TestCase):
    maxDiff = None

    def compare(self, name, sent, run, containerd):
        environment = environment_of(run.stdout, containerd)
        self.assertIsNotNone(environment, name)
        different = [key for key, value in sent.items()
                     if not differences.same_variable(key, value, environment.get(key, ""))]
        # A Corefile that no config produces: it is written to the node as sent, and a note reports that the config lacks some of it.
        if "a config cannot express all of it" in run.stderr.decode():
            different = [key for key in different if "COREFILE" not in key]
        missing = [key for key in environment if key not in sent and key.startswith("CUSTOM_CA_CERT")]
        self.assertEqual(different + missing, [], f"{name}: " + "; ".join(
            f"{key}: {sent.get(key)!r} is {environment.get(key)!r}"[:600] for key in different))

    def test_recorded_commands(self):
        files = sorted(glob.glob(str(SHARED / "corpus-nbc" / "*.cmd")))
        if not files:
            self.skipTest("../shared/corpus-nbc is not there")
        for file in files:
            name = os.path.basename(file)
            with self.subTest(name):
                text = open(file).read()
                run = from_nbc(text)
                self.assertEqual(run.returncode, 0, run.stderr.decode())
                assignments = text[text.index("ADMINUSER="):text.index("/usr/bin/nohup")]
                sent = dict((key, value.strip('"')) for key, value in re.findall(
                    r'([A-Z_][A-Z0-9_]*)=("[^"]*"|[^ ]*)', assignments))
                self.assertGreater(len(sent), 130)
                containerd = "2.0.0" if "cri.v1.images" in differences.decoded(sent["CONTAINERD_CONFIG_CONTENT"]) else ""
                self.compare(name, sent, run, containerd)

    def test_commands_of_recorded_configs(self):
        accepted = refused = 0
        for name, config, containerd in recorded_configs():
            text = command.command_for(SUNUP, config, containerd)
            if text is None:
                continue
            with self.subTest(name):
                meant = command.variables(environment_of(config, containerd), json.loads(config))
                meant = {key: value.replace("\n", " ") for key, value in meant.items()}
                read = as_bash_reads_it(text)
                keys = [key for key in (read or {}) if key != "PROXY_VARS"]
                run = from_nbc(text)
                if read is None:
                    self.assertEqual(run.returncode, 1, f"{name}: bash does not get as far as the script")
                if run.returncode == 1 and (read is None or any(read[key] != meant[key] for key in keys)):
                    refused += 1
                    self.assertRegex(run.stderr.decode(), r"column \d+: ")
                    continue
                accepted += 1
                self.assertEqual(run.returncode, 0, f"{name}: {run.stderr.decode()}")
                self.compare(name, read, run, containerd)
        print(f"{accepted} commands are read, {refused} are refused", file=sys.stderr)
        self.assertGreater(accepted, 100)


if __name__ == "__main__":
    unittest.main()
