#!/usr/bin/env python3
"""The client commands as scripts use them: exit codes, output streams, same input same bytes."""

import base64
import json
import random
import re
import string
import tempfile
import unittest
from pathlib import Path

import client

MESSAGES = Path(__file__).resolve().parent / "extension-messages"

FAILED = {"ExitCode": "50", "Output": "no route", "Error": "", "ExecDuration": "21"}


class StatusParse(unittest.TestCase):
    def parse(self, text, *words):
        return client.run("status", "parse", *words, text=text)

    def test_the_exit_code_is_the_verdict(self):
        for code, expected in (("0", 0), ("50", 1), ("rubbish", 2)):
            self.assertEqual(self.parse(json.dumps(FAILED | {"ExitCode": code})).returncode, expected, code)
        self.assertEqual(self.parse("").returncode, 2)
        self.assertEqual(client.run("status", "parse", "/does/not/exist").returncode, 2)

    def test_messages_that_the_real_extension_wrote(self):
        """Recorded from CustomScript 2.1.19, whose wording of a failure differs from versions before 2.1.17."""
        for name, code, verdict in (("succeeded", 0, "SUCCEEDED"), ("containerd-failed", 1, "exit code 4 "), ("api-server-unknown", 1, "exit code 52 "),
                                    ("no-program", 1, "exit code 127"), ("no-config", 1, "exit code 124")):
            done = client.run("status", "parse", str(MESSAGES / f"{name}.txt"))
            self.assertEqual(done.returncode, code, name)
            self.assertIn(verdict, done.stdout.splitlines()[0], name)

    def test_every_result_of_a_text_has_a_verdict(self):
        fine = FAILED | {"ExitCode": "0"}
        done = self.parse(json.dumps(FAILED) + "\n" + json.dumps(fine))
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED  result 1: exit code 50", done.stdout)
        self.assertIn("SUCCEEDED  result 2", done.stdout)
        self.assertEqual(self.parse(json.dumps(fine) * 2).returncode, 0)

    def test_a_file_that_cannot_be_read_is_one_line_on_stderr(self):
        done = client.run("status", "parse", "/does/not/exist")
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))

    def test_json_is_json_whatever_came_in(self):
        for text in (json.dumps(FAILED), "[stdout]\n" + json.dumps(FAILED) + "\n[stderr]", "", "{", "[1,2"):
            self.assertIn("verdict", json.loads(self.parse(text, "--format", "json").stdout))

    def test_what_the_platform_said_is_shown_when_the_node_said_nothing(self):
        view = {"extensions": [{"name": "vmssCSE", "statuses": [
            {"code": "ProvisioningState/failed/VMExtensionProvisioningTimeout", "message": "took too long\nmore"}]}]}
        said = "ProvisioningState/failed/VMExtensionProvisioningTimeout: took too long"
        done = self.parse(json.dumps(view))
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("FAILED  extension vmssCSE", done.stdout)
        self.assertIn(f"error   {said}\n", done.stdout)
        view["extensions"][0]["name"] = "monitor"  # not the extension that provisions the node
        done = self.parse(json.dumps(view))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(f"extension monitor: {said}\n", done.stderr)

    def test_a_provision_that_goes_on_is_called_that(self):
        view = {"extensions": [{"name": "vmssCSE", "statuses": [{"code": "ProvisioningState/transitioning", "message": "Enable in progress"}]}]}
        done = self.parse(json.dumps(view))
        self.assertEqual((done.returncode, done.stderr), (2, ""))
        self.assertTrue(done.stdout.startswith("IN PROGRESS  extension vmssCSE: "), done.stdout)


class ExitCode(unittest.TestCase):
    def test_by_number_and_by_name(self):
        self.assertEqual(client.run("exit-code", "50").stdout, client.run("exit-code", "err_outbound_conn_fail").stdout)
        self.assertEqual(json.loads(client.run("exit-code", "50", "--format", "json").stdout)["name"], "ERR_OUTBOUND_CONN_FAIL")

    def test_unknown_codes_say_so(self):
        self.assertEqual(client.run("exit-code", "40").returncode, 1)
        self.assertEqual(client.run("exit-code", "ERR_NOBODY").returncode, 1)
        self.assertEqual(client.run("exit-code", "51", "--format", "markdown").returncode, 2)

    def test_a_negative_code_is_a_code_and_no_flag(self):
        for words in (["-1"], ["--", "-1"], ["-1", "--format", "text"], ["--format", "text", "-1"]):
            done = client.run("exit-code", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertIn("a signal killed it", done.stdout)
        self.assertEqual(client.run("exit-code", "-2").returncode, 1)
        for wrong in (["-x"], ["--bogus"], ["50", "-1"], ["-1", "-1"]):
            self.assertEqual(client.run("exit-code", *wrong).returncode, 2, wrong)

    def test_steps_of_both_ways_to_provision_are_named(self):
        shown = client.run("exit-code", "51").stdout
        self.assertRegex(shown, r"(?m)^  step     apiserverCurl$")
        self.assertRegex(shown, r"(?m)^  native   apiserver\.token, apiserver\.reach$")
        self.assertEqual(json.loads(client.run("exit-code", "51", "--format", "json").stdout)["nativeSteps"], ["apiserver.token", "apiserver.reach"])

    def test_all_are_listed(self):
        listed = json.loads(client.run("exit-code", "--format", "json").stdout)
        self.assertEqual(len([c for c in listed if c["name"].startswith("ERR_")]), 128)


class Commands(unittest.TestCase):
    def all_commands(self, *words):
        yield words
        listed = re.search(r"^Subcommands:\n((?:  .*\n?)+)", client.run(*words, "--help").stdout, re.M)
        for name in re.findall(r"^  (\S+)", listed.group(1), re.M) if listed else []:
            yield from self.all_commands(*words, name)

    def test_each_has_an_example_in_its_help(self):
        commands = list(self.all_commands())
        self.assertIn(("render", "custom-data"), commands)
        for words in commands:
            done = client.run(*words, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            shown = re.sub(r"(?m)^Usage: .*$", "", done.stdout)
            self.assertRegex(shown, r"(?m)^(Example: |Example:\n +|.*\n? +)sunup " + " ".join(words), words)

    def test_one_that_does_not_exist_is_named(self):
        for words, name, meant in ((["bogus"], "bogus", None), (["confg"], "confg", "config"),
                                   (["config", "chekc", "x.json"], "chekc", "check"), (["render", "x"], "x", None)):
            done = client.run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"unknown command '{name}'", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn("did you mean '%s'?" % meant if meant else "--help", done.stderr)
        for words in (["--bogus"], ["config", "--bogus"]):
            self.assertEqual(client.run(*words).stderr, "sunup: unknown flag '--bogus' (see --help)\n")
        self.assertIn("A subcommand is required", client.run().stderr)
        self.assertIn("--config is required", client.run("render", "env").stderr)


class RenderCustomData(unittest.TestCase):
    def config_in(self, ignition):
        files = {f["path"]: f["contents"]["source"] for f in json.loads(ignition)["storage"]["files"]}
        return base64.b64decode(files[client.CONFIG_PATH].partition(",")[2])

    def test_unknown_fields_reach_the_node(self):
        config = client.CONFIG | {"from_the_future": {"knob": [1, 2]}}
        self.assertIn(b'"from_the_future": {"knob":[1,2]}', self.config_in(client.render("--os", "flatcar", config=config)))

    def test_a_config_from_a_pipe_may_be_embedded_verbatim(self):
        text = '{ "version":"v1" ,\n"zzz":1}'
        done = client.run("render", "custom-data", "--config", "/dev/stdin", "--os", "flatcar", "--verbatim", text=text)
        self.assertEqual(self.config_in(base64.b64decode(done.stdout)).decode(), text)

    def test_every_distribution_of_render_files_gets_custom_data(self):
        for os in re.search(r"--os TEXT:\{(.*?)\}", client.run("render", "files", "--help").stdout).group(1).split(","):
            if os == "unknown":
                continue  # any image: what it reads is unknown
            self.assertTrue(client.render("--os", os), os)

    def test_same_config_same_bytes_in_every_form(self):
        for words in ([], ["--os", "flatcar"], ["--form", "write-files"], ["--gzip", "always"]):
            self.assertEqual(client.render(*words), client.render(*words, config=dict(reversed(client.CONFIG.items()))))

    def test_a_hook_that_the_node_would_refuse_is_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            def render(name, text):
                file = Path(directory) / name
                file.write_text(text)
                return client.run("render", "custom-data", "--config", "/dev/stdin", "--hook", file, text=json.dumps(client.CONFIG))
            good = '{"argv": ["/bin/true"]}'
            self.assertEqual(render("site.hook.json", good).returncode, 0)
            for name, text, said in (("site.json", "{}", '"argv" must be'), ("site.json", "[", "not a JSON object"), ("Site.json", good, "the name of a hook"),
                                     ("site", good, "ends with .json"), ("site.json", good[:-1] + ', "when": 1}', 'unknown member "when"')):
                done = render(name, text)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
                self.assertTrue(done.stderr.startswith("sunup: --hook: "), done.stderr)
                self.assertIn(said, done.stderr)
            absent = client.run("render", "custom-data", "--config", "/dev/stdin", "--hook", f"{directory}/absent.json", text=json.dumps(client.CONFIG))
            self.assertEqual((absent.returncode, absent.stdout), (2, ""), absent.stderr)

    def test_no_config_is_wrong_use(self):
        self.assertEqual(client.run("render", "custom-data").returncode, 2)

    def test_too_big_says_by_how_much_and_why(self):
        noise = "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=100_000))
        with tempfile.NamedTemporaryFile("w") as file:
            json.dump(client.CONFIG | {"custom_ca_certs": [noise]}, file)
            file.flush()
            done = client.run("render", "custom-data", "--config", file.name)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"custom data has \d+ bytes, \d+ more than the 65535 that Azure accepts")
        self.assertIn("custom_ca_certs (100000 bytes)", done.stderr)

    def test_vmss_model_holds_the_same_custom_data(self):
        with tempfile.NamedTemporaryFile("w") as file:
            json.dump(client.CONFIG, file)
            file.flush()
            model = json.loads(client.run("render", "vmss", "--config", file.name).stdout)
        self.assertEqual(base64.b64decode(model["osProfile"]["customData"]), client.render())
        settings = model["extensionProfile"]["extensions"][0]["properties"]["protectedSettings"]
        self.assertEqual(settings["commandToExecute"], client.run("render", "cse").stdout.strip())


class Help(unittest.TestCase):
    def test_help_of_a_verb_is_its_own_help(self):
        self.assertEqual(client.run("help", "config", "check").stdout, client.run("config", "check", "--help").stdout)
        self.assertEqual(client.run("help").stdout, client.run("--help").stdout)
        done = client.run("help", "bogus")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("bogus", done.stderr)

    def test_the_version_has_two_names(self):
        self.assertEqual(client.run("--version").stdout, client.run("version").stdout)

    def test_a_port_beyond_all_is_said_to_be(self):
        done = client.run("serve", "--port", "99999")
        self.assertEqual(done.returncode, 2)
        self.assertIn("65535", done.stderr)


if __name__ == "__main__":
    unittest.main()
