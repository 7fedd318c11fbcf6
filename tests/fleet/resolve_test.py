#!/usr/bin/env python3
"""Runs `sunup resolve` and `sunup serve` as a person or a script would.  usage: resolve_test.py SUNUP [unittest arguments]"""
import http.client
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SUNUP = sys.argv.pop(1)
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "fleet"
SOURCES = [word for name in ("settings", "nodepool", "nodeclass") for word in (f"--{name}", str(EXAMPLES / f"{name}.yaml"))]
ENV = {"PATH": "/usr/bin:/bin"}  # nothing of this machine's environment may set a value


def run(*argv, stdin=None):
    done = subprocess.run([SUNUP, *argv], capture_output=True, text=True, input=stdin, timeout=60, env=ENV)
    return done.returncode, done.stdout, done.stderr


def claim(i):
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [("Standard_D4s_v5", "Standard_D8s_v5")[i % 2]]}]
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
            "metadata": {"name": f"general-{i}", "labels": {"karpenter.sh/nodepool": "general", "team": "abc"[i % 3]}},
            "spec": {"requirements": requirements, "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}}}


class Resolve(unittest.TestCase):
    def test_a_batch_gives_every_claim_the_bytes_it_gets_alone(self):
        for bootstrap in ("scriptless", "nodeconfig"):
            words = ["resolve", *SOURCES, "--bootstrap", bootstrap]
            claims = [claim(i) for i in range(8)]
            code, out, err = run(*words, "--batch", "-", stdin="".join(json.dumps(c) + "\n" for c in claims))
            self.assertEqual((code, err), (0, ""))
            lines = out.splitlines()
            self.assertEqual(len(lines), len(claims))
            for one, line in zip(claims, lines):
                with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                    json.dump(one, file)
                    file.flush()
                    code, alone, err = run(*words, "--nodeclaim", file.name)
                self.assertEqual(code, 0, err)
                self.assertEqual(json.dumps(json.loads(alone), separators=(",", ":"), ensure_ascii=False), line)

    def test_a_bad_line_fails_alone(self):
        code, out, _ = run("resolve", *SOURCES, "--batch", "-", stdin="{\n" + json.dumps(claim(1)) + "\n")
        self.assertEqual(code, 1)
        bad, good = map(json.loads, out.splitlines())
        self.assertIn("error", bad)
        self.assertEqual(good["name"], "aks-general-1")

    def test_strict_refuses_what_is_only_warned_of(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write((EXAMPLES / "settings.yaml").read_text() + "log-level: debug\n")
            file.flush()
            words = ["resolve", "--settings", file.name, *SOURCES[2:]]
            code, out, err = run(*words)
            self.assertEqual(code, 0)
            self.assertIn("log-level: is about the controller itself", err)
            json.loads(out)
            self.assertEqual(run(*words, "--strict")[0], 1)

    def test_wrong_use_is_exit_2(self):
        for argv in (["--nodepool", "/nonexistent"], ["--format", "nonsense"], ["--batch", "/nonexistent", *SOURCES]):
            code, out, err = run("resolve", *argv)
            self.assertEqual((code, out), (2, ""), argv)
            self.assertTrue(err.strip(), argv)

    def test_the_token_shows_in_custom_data_only(self):
        token = "0123456789abcdef"
        code, out, err = run("resolve", *SOURCES)
        template = json.loads(out)
        template.pop("customData")
        self.assertNotIn(token, json.dumps(template) + err)
        self.assertNotIn(token, "".join(run("resolve", *SOURCES, "--explain", "--whole")[1:]))


class Serve(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen([SUNUP, "serve", "--port", "0"], stderr=subprocess.PIPE, text=True, env=ENV)
        self.addCleanup(self.server.stderr.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        line = self.server.stderr.readline()
        self.port = int(re.search(r"listening on 127\.0\.0\.1:(\d+)", line)[1])

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def test_it_answers_until_it_is_told_to_stop(self):
        self.assertEqual(self.ask("GET", "/healthz"), (200, "ok\n"))
        status, body = self.ask("GET", "/v1/cluster-id?host=abc")
        self.assertEqual((status, json.loads(body)["clusterID"]), (200, "64379487"))
        self.server.terminate()
        self.assertEqual(self.server.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main()
