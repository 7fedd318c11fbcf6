#!/usr/bin/env python3
"""Runs `sunup config` as a person or a script would.  usage: config_test.py SUNUP [unittest arguments]"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SUNUP = sys.argv.pop(1)


def run(*argv, stdin=None):
    done = subprocess.run([SUNUP, "config", *argv], capture_output=True, text=True, input=stdin, timeout=60)
    return done.returncode, done.stdout, done.stderr


class ConfigTest(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def write(self, name, text):
        path = os.path.join(self.dir.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


# Complete enough for a node, so that only the changes of a test are wrong.
GOOD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "good.json")


class Check(ConfigTest):
    def changed(self, **members):
        with open(GOOD, encoding="utf-8") as file:
            config = json.load(file)
        config.update(members)
        return self.write("node.json", json.dumps(config, indent=2))

    def test_a_good_config_is_ok(self):
        code, out, err = run("check", "--strict", GOOD)
        self.assertEqual((code, out, err), (0, f"{GOOD}: ok\n", ""))

    def test_a_warning_is_fatal_only_if_asked_for(self):
        path = self.changed(kubelet_confg={})
        code, out, _ = run("check", path)
        self.assertEqual(code, 0)
        self.assertIn("warning: $.kubelet_confg", out)
        self.assertIn('did you mean "kubelet_config"?', out)
        self.assertEqual(run("check", "--strict", path)[0], 1)

    def test_an_error_says_where_and_exits_1(self):
        path = self.changed(kubernetes_version="latest")
        code, out, err = run("check", path)
        self.assertEqual((code, err), (1, ""))
        self.assertRegex(out, r"node\.json:\d+:\d+: error: \$\.kubernetes_version: ")

    def test_a_refused_config_exits_1_with_its_place(self):
        path = self.write("bad.json", '{\n  "version": "v1",\n  "vm_size": 5\n}')
        code, out, err = run("check", path)
        self.assertEqual((code, err), (1, ""))
        self.assertIn(f"{path}:3:14: error: $.vm_size: expected a string, found a number [refused]", out)

    def test_a_file_that_cannot_be_read_exits_2_with_one_line(self):
        for path in (os.path.join(self.dir.name, "none.json"), self.dir.name):
            code, out, err = run("check", path)
            self.assertEqual((code, out), (2, ""))
            self.assertEqual(err.count("\n"), 1)
            self.assertIn(path, err)

    def test_wrong_use_exits_2_with_one_line(self):
        for argv in (["check"], ["check", "--bogus", GOOD], ["check", "--format", "xml", GOOD], []):
            code, out, err = run(*argv)
            self.assertEqual((code, out), (2, ""), argv)
            self.assertEqual(err.count("\n"), 1, err)

    def test_json_has_the_documented_members(self):
        path = self.changed(kubernetes_version="latest", zzz=1)
        code, out, err = run("check", "--format", "json", path, GOOD)
        self.assertEqual((code, err), (1, ""))
        report = json.loads(out)
        self.assertEqual([file["file"] for file in report["files"]], [path, GOOD])
        self.assertEqual((report["errors"], report["warnings"], report["notes"]), (1, 1, 0))
        self.assertEqual(report["files"][1], {"file": GOOD, "refused": False, "findings": []})
        rules = {finding["rule"]: finding for finding in report["files"][0]["findings"]}
        self.assertEqual(set(rules), {"kubernetes-version", "unknown-field"})
        self.assertEqual(set(rules["unknown-field"]),
                         {"severity", "rule", "path", "line", "column", "message", "hint"})

    def test_a_config_beyond_the_limit_is_refused_with_a_place(self):
        big = self.write("big.json", " " * (17 << 20))
        self.assertEqual(run("check", big)[:2], (1, f"{big}:1:1: error: $: larger than 16 MiB [refused]\n"
                                                    f"{big}: 1 error, 0 warnings\n"))

    def test_what_only_native_provisioning_refuses_is_a_warning(self):
        curl = "curl -v --insecure --connect-timeout 10 https://mcr.microsoft.com/v2/"
        for members, path in (({"outbound_command": curl}, "$.outbound_command"),
                              ({"bootstrap_profile_container_registry_server": "x.azurecr.io/a@b"},
                               "$.bootstrap_profile_container_registry_server"),
                              ({"http_proxy_config": {"http_proxy": "http://h:1", "no_proxy_entries": ["a\\b"]}},
                               "$.http_proxy_config")):
            with self.subTest(path):
                code, out, _ = run("check", "--format", "json", self.changed(**members))
                refused = [f for f in json.loads(out)["files"][0]["findings"] if f["rule"] == "native-refusal"]
                self.assertEqual([(f["path"], f["severity"]) for f in refused], [(path, "warning")])
                self.assertGreater(refused[0]["line"], 1, "it is where the field is")
                self.assertEqual(code, 0)

    def test_variable_that_the_kernel_does_not_pass_on_is_an_error(self):
        """Each field is short enough; the variable that the scripts would get from them is not."""
        for members, path in (({"custom_linux_os_config": {"sysctl_config": {"net_ipv4_ip_local_port_range": "1024 " + "9" * 100_000}}},
                               "$.custom_linux_os_config"),
                              ({"message_of_the_day": "x" * 140_000}, "$.message_of_the_day")):
            with self.subTest(path):
                code, out, _ = run("check", "--format", "json", self.changed(**members))
                found = [f for f in json.loads(out)["files"][0]["findings"] if f["rule"] == "too-long"]
                self.assertEqual([f["severity"] for f in found], ["error"])
                self.assertTrue(found[0]["path"].startswith(path), found)
                self.assertEqual(code, 1)

    def test_what_is_warned_of_already_is_not_refused_too(self):
        code, out, _ = run("check", self.changed(outbound_command="nc -vz mcr.microsoft.com 443"))
        self.assertEqual(code, 0)
        self.assertIn("warning: $.outbound_command", out)
        self.assertNotIn("native-refusal", out)

    def test_standard_input_is_a_file_too(self):
        with open(GOOD, encoding="utf-8") as file:
            code, out, _ = run("check", "-", stdin=file.read())
        self.assertEqual((code, out), (0, "-: ok\n"))


class Explain(ConfigTest):
    def test_a_field_is_explained_by_path_name_or_variable(self):
        expected = run("explain", "cluster_config.location")
        self.assertEqual(expected[0], 0)
        for word in ("Azure region", "eastus", "TARGET_CLOUD", "/etc/kubernetes/azure.json", "the cluster"):
            self.assertIn(word, expected[1])
        for question in ("clusterConfig.location", "location", "$.cluster_config.location", "LOCATION"):
            self.assertEqual(run("explain", question), expected)

    def test_without_a_field_all_are_listed_one_a_line(self):
        code, out, _ = run("explain")
        self.assertEqual(code, 0)
        self.assertGreaterEqual(out.count("\n"), 257)
        self.assertIn("\nkubernetes_version  (string)  Version of Kubernetes", out)

    def test_a_typo_is_answered_with_what_was_meant(self):
        code, out, err = run("explain", "kubernetes_versoin")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("kubernetes_version", err)
        self.assertEqual(err.count("\n"), 1)

    def test_json_is_a_list_of_fields(self):
        fields = json.loads(run("explain", "--format", "json", "enabled")[1])
        self.assertEqual(len(fields), 3)
        self.assertTrue(all(field["meaning"] and field["variables"] for field in fields))


class Diff(ConfigTest):
    def test_the_same_config_in_other_words_is_the_same(self):
        left = self.write("a.json", '{"version":"v1","vm_size":"x","network_config":{"network_plugin":2}}')
        right = self.write("b.json", '{"networkConfig":{"networkPlugin":"NETWORK_PLUGIN_AZURE"},"vmSize":"x","version":"v1"}')
        self.assertEqual(run("diff", left, right), (0, "the configs are equal\n", ""))

    def test_a_difference_says_what_changes_on_the_node(self):
        left = self.write("a.json", '{"version":"v1","cse_timeout":600,"is_vhd":true}')
        right = self.write("b.json", '{"version":"v1","auth_config":{"tenant_id":"t"}}')
        code, out, _ = run("diff", left, right)
        self.assertEqual(code, 1)
        self.assertEqual(out, "$.auth_config.tenant_id\n  - unset\n  + \"t\"\n  changes variable TENANT_ID\n"
                              "  changes file /etc/kubernetes/azure.json\n"
                              "$.is_vhd\n  - true\n  + unset\n  changes nothing on the node\n"
                              "$.cse_timeout\n  - 600\n  + unset\n  changes variable CSE_TIMEOUT\n"
                              "3 fields differ: 2 variables and 1 file of the node change\n")

    def test_only_what_really_changes_is_claimed(self):
        def files(left, right):
            paths = [self.write(f"{i}.json", '{"version":"v1",%s}' % text) for i, text in enumerate((left, right))]
            return [path for change in json.loads(run("diff", "--format", "json", *paths)[1]) for path in change["files"]]
        sysctl = '"custom_linux_os_config":{"sysctl_config":{"net_core_somaxconn":%d}}'
        self.assertEqual(files(sysctl % 16384, '"custom_linux_os_config":{"sysctl_config":{}}'), [])
        self.assertEqual(files(sysctl % 99, sysctl % 16384), ["/etc/sysctl.d/999-sysctl-aks.conf"])
        self.assertEqual(files('"linux_admin_username":"azureuser"', '"is_vhd":false'), [])
        flags = '"kubelet_config":{"kubelet_flags":{"--streaming-connection-idle-timeout":"4h"}},"kubernetes_version":"%s"'
        self.assertIn("/etc/default/kubelet", files(flags % "1.33.0", flags % "1.34.0"))

    def test_what_only_two_fields_together_change_is_told_of_both(self):
        left = self.write("a.json", '{"version":"v1"}')
        right = self.write("b.json", '{"version":"v1","custom_linux_os_config":'
                                     '{"enable_swap_config":true,"swap_file_size":1500}}')
        changes = json.loads(run("diff", "--format", "json", left, right)[1])
        self.assertEqual({c["path"].split(".")[-1]: "SHOULD_CONFIG_SWAP_FILE" in c["variables"] for c in changes},
                         {"enable_swap_config": True, "swap_file_size": True})

    def test_secrets_are_named_and_not_shown(self):
        left = self.write("a.json", '{"version":"v1","bootstrapping_config":{"tls_bootstrapping_token":"hunter2"}}')
        right = self.write("b.json", '{"version":"v1","bootstrapping_config":{"tls_bootstrapping_token":"hunter3"}}')
        for options in ([], ["--format", "json"]):
            code, out, err = run("diff", *options, left, right)
            self.assertEqual(code, 1)
            self.assertNotIn("hunter", out + err)
        self.assertIn("(secret, differs)", run("diff", left, right)[1])

    def test_a_config_that_cannot_be_used_exits_2(self):
        good = self.write("a.json", '{"version":"v1"}')
        bad = self.write("b.json", '{"version":"v1"')
        for pair in ((good, bad), (bad, good), (good, good + ".none")):
            code, out, err = run("diff", *pair)
            self.assertEqual((code, out), (2, ""))
            self.assertEqual(err.count("\n"), 1)


class Schema(ConfigTest):
    def test_it_is_a_json_schema(self):
        code, out, err = run("schema")
        self.assertEqual((code, err), (0, ""))
        schema = json.loads(out)
        self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
        self.assertIn("vmSize", schema["$defs"]["Configuration"]["properties"])


class Help(ConfigTest):
    def test_every_command_has_help_with_an_example(self):
        for command in ("check", "explain", "diff", "schema"):
            code, out, err = run(command, "--help")
            self.assertEqual((code, err), (0, ""))
            self.assertIn(f"Example: sunup config {command}", out)


if __name__ == "__main__":
    unittest.main()
