#!/usr/bin/env python3
"""The API gives the answers of the command line: each row runs both on the same input."""
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from serving import CONFIG, ENV, SOURCE, SUNUP, Case, make_ca

sys.path.append(str(SOURCE / "tests" / "nbc"))
import command  # noqa: E402

OTHER = json.dumps({**json.loads(CONFIG), "kubernetes_version": "1.32.0", "colour": "red"})
WRONG = json.dumps({**json.loads(CONFIG), "version": "v9"})
ODD = json.dumps({**json.loads(CONFIG), "unknown_field": 1, "kubernetes_version": "1.33"})
STATUS = (SOURCE / "tests" / "client" / "extension-messages" / "api-server-unknown.txt").read_text()
EXAMPLES = SOURCE / "examples" / "fleet"

# Every route of the API: the test below that compares it with the command line, or the reason why none does.
COMPARED = {
    "POST /v1/config/check": "test_rows", "POST /v1/render/env": "test_rows", "POST /v1/render/custom-data": "test_rows", "POST /v1/render/vmss": "test_rows",
    "GET /v1/config/explain": "test_what_needs_no_config", "GET /v1/config/schema": "test_what_needs_no_config",
    "GET /v1/exit-codes": "test_what_needs_no_config", "GET /v1/exit-codes/{code}": "test_what_needs_no_config",
    "GET /v1/render/cse": "test_what_needs_no_config", "GET /v1/cluster-id": "test_what_needs_no_config",
    "POST /v1/config/diff": "test_diff", "POST /v1/config/from-nbc": "test_commands", "POST /v1/render/files": "test_files",
    "POST /v1/status/parse": "test_status", "POST /v1/resolve": "test_resolve", "POST /v1/resolve/check": "test_documents",
    "POST /v1/drift": "test_drift", "POST /v1/nodeclass/hash": "test_hash", "POST /getnodebootstrapdata": "test_bootstrap_data"}
NOT_COMPARED = {
    "POST /v1/plan": "the command is one of the program of a node: tests/page/plan_test.py compares the two",
    "POST /v1/nodes/{name}/result": "writes to a cluster; no command does (access_test.py)",
    "GET /subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Microsoft.ContainerService/managedclusters/{resourceName}/nodeBootstrapping":
        "the form of Karpenter's client; no command makes it (src/fleet/launch/node_bootstrapping_test.cc)",
    "POST /getlatestsigimageconfig": "the form of AgentBaker's clients; no command makes it (src/service/client_routes_test.cc)",
    "POST /getdistrosigimageconfig": "the form of AgentBaker's clients; no command makes it (src/service/client_routes_test.cc)",
    "GET /": "the page for people (tests/page)",
    "GET /healthz": "the state of the server", "GET /readyz": "the state of the server", "GET /metrics": "the state of the server",
    "GET /openapi.json": "describes the API (src/service/router_test.cc, properties.py)"}


def run(*words, stdin=""):
    done = subprocess.run([SUNUP, *words], input=stdin, capture_output=True, text=True, env=ENV)
    return done.returncode, done.stdout, done.stderr


def yaml_as_json(path):
    """The JSON of a YAML example, as `sunup resolve` reads it: the API takes JSON only."""
    import yaml
    return yaml.safe_load(path.read_text())


class Parity(Case):
    def setUp(self):
        self.server = self.serve()
        self.asked = []

    def serve_with_results(self):
        """Starts a server with an address for the results of nodes. Returns the flags, which the command line has as well; a request has no parameter for it."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        make_ca(folder.name, "ca")
        flags = ["--results-url", "https://sunup.example:8443", "--results-ca", str(pathlib.Path(folder.name, "ca.crt"))]
        self.server = self.serve(*flags)
        return flags

    def api(self, method, path, body=None):
        status, text, _ = self.server.ask(method, path, body)
        self.asked.append(f"{method} {path.split('?')[0]}")
        return status, text

    def tearDown(self):
        for route, test in COMPARED.items():
            if test == self._testMethodName:
                pattern = re.sub(r"\\{.*?\\}", "[^/]+", re.escape(route))
                self.assertTrue(any(re.fullmatch(pattern, asked) for asked in self.asked), f"{test} does not ask {route}")

    def test_every_route_is_compared_or_has_a_reason(self):
        described = json.loads(self.api("GET", "/openapi.json")[1])["paths"]
        routes = {f"{method.upper()} {path}" for path, operations in described.items() for method in operations}
        self.assertEqual(routes, COMPARED.keys() | NOT_COMPARED.keys())
        self.assertEqual(COMPARED.keys() & NOT_COMPARED.keys(), set())
        self.assertTrue(all(hasattr(self, test) for test in COMPARED.values()))

    def test_rows(self):
        # words of the command line (with the config on standard input); method, path and body of the API; and how to
        # compare the two outputs: both as JSON unless a function says otherwise.
        def one_file(out):
            whole = json.loads(out)
            return {**{name: whole["files"][0][name] for name in ("refused", "findings")}, **{name: whole[name] for name in ("errors", "warnings", "notes")}}

        def custom_data(text):
            return json.loads(text)["customData"]

        rows = [
            (["config", "check", "--format", "json", "-"], "POST", "/v1/config/check", one_file, json.loads),
            (["render", "env", "--config", "-"], "POST", "/v1/render/env", json.loads, json.loads),
            (["render", "env", "--config", "-", "--containerd-version", "2.0.0"], "POST", "/v1/render/env?containerd-version=2.0.0", json.loads, json.loads),
            (["render", "env", "--config", "-", "--strict"], "POST", "/v1/render/env?strict=true", json.loads, json.loads),
            (["render", "custom-data", "--config", "-"], "POST", "/v1/render/custom-data", str.strip, custom_data),
            (["render", "custom-data", "--config", "-", "--os", "flatcar", "--gzip", "always"], "POST",
             "/v1/render/custom-data?os=flatcar&gzip=always", str.strip, custom_data),
            (["render", "custom-data", "--config", "-", "--verbatim", "--form", "write-files"], "POST",
             "/v1/render/custom-data?verbatim=true&form=write-files", str.strip, custom_data),
            (["render", "custom-data", "--config", "-", "--placeholder", "demo-dns-1a2b3c4d"], "POST",
             "/v1/render/custom-data?placeholder=demo-dns-1a2b3c4d", str.strip, custom_data),
            (["render", "vmss", "--config", "-", "--placeholder", "{{.Missing}}"], "POST", "/v1/render/vmss?placeholder=%7B%7B.Missing%7D%7D", json.loads, json.loads),
            (["render", "custom-data", "--config", "-", "--strict"], "POST", "/v1/render/custom-data?strict=true", str.strip, custom_data),
            (["render", "vmss", "--config", "-", "--os", "azurelinux3"], "POST", "/v1/render/vmss?os=azurelinux3", json.loads, json.loads),
        ]
        for words, method, path, of_the_program, of_the_api in rows:
            for config in (CONFIG, OTHER, ODD, WRONG, "{", ""):
                with self.subTest(path=path, config=config[:40]):
                    code, out, err = run(*words, stdin=config)
                    status, text = self.api(method, path, config)
                    if out:
                        self.assertEqual(status, 200, text)
                        self.assertEqual(of_the_api(text), of_the_program(out))
                    else:
                        self.assertEqual((code, status), (1, 422), text)
                        if "--strict" not in words:
                            told = json.loads(text)["error"].split(": ", 1)[-1]
                            self.assertIn(told, err)

    def test_the_address_for_results(self):
        flags = self.serve_with_results()
        for os in ("ubuntu2404", "flatcar"):
            for verb in ("custom-data", "vmss"):
                with self.subTest(os=os, verb=verb):
                    words = ("render", verb, "--config", "-", "--os", os)
                    code, out, err = run(*words, *flags, stdin=CONFIG)
                    status, text = self.api("POST", f"/v1/render/{verb}?os={os}", CONFIG)
                    self.assertEqual((code, status), (0, 200), err + text)
                    made = json.loads(text)
                    self.assertEqual(made, {"customData": out.strip()} if verb == "custom-data" else json.loads(out))
                    self.assertNotEqual(out, run(*words, stdin=CONFIG)[1])

    def test_what_needs_no_config(self):
        for words, path in (
            (["config", "explain", "--format", "json"], "/v1/config/explain"),
            (["config", "explain", "kubelet_config.kubelet_flags", "--format", "json"], "/v1/config/explain?field=kubelet_config.kubelet_flags"),
            (["config", "explain", "LOCATION", "--format", "json"], "/v1/config/explain?field=LOCATION"),
            (["config", "explain", "nothing_like_it", "--format", "json"], "/v1/config/explain?field=nothing_like_it"),
            (["config", "schema"], "/v1/config/schema"),
            (["exit-code", "--format", "json"], "/v1/exit-codes"),
            (["exit-code", "51", "--format", "json"], "/v1/exit-codes/51"),
            (["exit-code", "-1", "--format", "json"], "/v1/exit-codes/-1"),
            (["exit-code", "ERR_OUTBOUND_CONN_FAIL", "--format", "json"], "/v1/exit-codes/ERR_OUTBOUND_CONN_FAIL"),
            (["exit-code", "40", "--format", "json"], "/v1/exit-codes/40"),
        ):
            with self.subTest(path=path):
                code, out, _ = run(*words)
                status, text = self.api("GET", path)
                self.assertEqual(status, 200 if code == 0 else 404)
                if code == 0:
                    self.assertEqual(json.loads(text), json.loads(out))
        self.assertEqual(json.loads(self.api("GET", "/v1/render/cse")[1])["command"], run("render", "cse")[1].strip())
        self.assertEqual(json.loads(self.api("GET", "/v1/cluster-id?host=abc")[1])["clusterID"], run("cluster-id", "abc")[1].strip())

    def test_commands(self):
        text = command.command_for(SUNUP, CONFIG.encode())
        unusable = text.replace("LOCATION=", "LOCATION=$(reboot)", 1)
        for given in (text, unusable, CONFIG, ""):
            with self.subTest(given=given[:40]):
                code, out, err = run("config", "from-nbc", "-", stdin=given)
                status, told = self.api("POST", "/v1/config/from-nbc", given)
                self.assertEqual((code, status), (0, 200) if out else (1, 422), told)
                if out:
                    self.assertEqual(json.loads(told), json.loads(out))
                else:
                    self.assertIn(json.loads(told)["error"], err)
        self.assertTrue(run("config", "from-nbc", "-", stdin=text)[1])
        for given in (text, unusable):
            whole = json.loads(run("config", "check", "--format", "json", "-", stdin=given)[1])
            self.assertEqual(json.loads(self.api("POST", "/v1/config/check", given)[1]),
                             {"refused": whole["files"][0]["refused"], "findings": whole["files"][0]["findings"], **{name: whole[name] for name in ("errors", "warnings", "notes")}})

    def test_bootstrap_data(self):
        for words, query in (([], ""), (["--os", "flatcar"], "?os=flatcar")):
            out = run("render", "custom-data", "--config", "-", *words, stdin=CONFIG)[1]
            status, text = self.api("POST", f"/getnodebootstrapdata{query}", CONFIG)
            self.assertEqual(status, 200, text)
            self.assertEqual(json.loads(text)["CustomData"], out.strip())
            self.assertEqual(json.loads(text)["CSE"], run("render", "cse")[1].strip())
        self.assertEqual((run("render", "custom-data", "--config", "-", stdin=WRONG)[0], self.api("POST", "/getnodebootstrapdata", WRONG)[0]), (1, 400))

    def test_diff(self):
        with tempfile.TemporaryDirectory() as folder:
            left, right = pathlib.Path(folder, "left"), pathlib.Path(folder, "right")
            left.write_text(CONFIG)
            right.write_text(OTHER)
            code, out, _ = run("config", "diff", str(left), str(right), "--format", "json")
        self.assertEqual(code, 1)
        for as_sent in (json.loads, str):
            status, text = self.api("POST", "/v1/config/diff", json.dumps({"left": as_sent(CONFIG), "right": as_sent(OTHER)}))
            self.assertEqual((status, json.loads(text)), (200, json.loads(out)))
        self.assertEqual(self.api("POST", "/v1/config/diff", json.dumps({"left": WRONG, "right": CONFIG}))[0], 422)

    def test_files(self):
        status, text = self.api("POST", "/v1/render/files?os=azurelinux3", CONFIG)
        self.assertEqual(status, 200, text)
        answer = json.loads(text)
        with tempfile.TemporaryDirectory() as folder:
            code, out, _ = run("render", "files", "--config", "-", "--os", "azurelinux3", "--out", folder, stdin=CONFIG)
            self.assertEqual(code, 0)
            for file in answer["files"]:
                self.assertEqual(base64.b64decode(file["content"]), pathlib.Path(folder, file["path"][1:]).read_bytes(), file["path"])
        lines = [f"{file['mode']} {file['path']}" for file in answer["files"]]
        lines += [f"link {link['path']} -> {link['target']}" for link in answer["links"]] + [f"gone {path}" for path in answer["removed"]]
        self.assertEqual(lines, out.splitlines())
        self.assertEqual(self.api("POST", "/v1/render/files?os=beos", CONFIG)[0], 400)

    def test_status(self):
        code, out, _ = run("status", "parse", "-", "--format", "json", stdin=STATUS)
        self.assertEqual(json.loads(self.api("POST", "/v1/status/parse", STATUS)[1]), json.loads(out))
        self.assertNotEqual(code, 0)

    def sources(self, folder):
        """The body of a request, and the words of `sunup resolve` that give the same."""
        body = {"settings": yaml_as_json(EXAMPLES / "settings.yaml"), "nodePool": yaml_as_json(EXAMPLES / "nodepool.yaml"),
                "nodeClass": yaml_as_json(EXAMPLES / "nodeclass.yaml")}
        words = ["resolve"]
        for flag, member in (("settings", "settings"), ("nodepool", "nodePool"), ("nodeclass", "nodeClass")):
            words += [f"--{flag}", self.as_file(folder, body[member])]
        return body, words

    def as_file(self, folder, value):
        file = pathlib.Path(folder, f"file-{len(list(pathlib.Path(folder).iterdir()))}")
        file.write_text(json.dumps(value))
        return str(file)

    def test_resolve(self):
        with tempfile.TemporaryDirectory() as folder:
            body, words = self.sources(folder)
            claim = json.loads((EXAMPLES / "claims.jsonl").read_text().splitlines()[0])
            sizes = [{"name": "Standard_D4s_v5", "vCPUs": 4, "memoryGiB": 16, "arch": "amd64"}, {"name": "Standard_D16s_v5", "vCPUs": 16, "memoryGiB": 64, "arch": "amd64"}]
            rows = [({"format": format}, ["--format", format]) for format in ("json", "vm", "vmss", "variables", "nodeconfig", "script")]
            rows += [({"format": "explain"}, ["--explain", "--format", "json"]),
                     ({"nodeClaim": claim}, ["--nodeclaim", self.as_file(folder, claim)]),
                     ({"instanceType": "Standard_D8s_v5"}, ["--instance-type", "Standard_D8s_v5"]),
                     ({"instanceType": "Standard_None"}, ["--instance-type", "Standard_None"]),
                     ({"instanceTypes": sizes}, ["--instance-type", self.as_file(folder, sizes)]),
                     ({"instanceTypes": [{"name": 1}]}, ["--instance-type", self.as_file(folder, [{"name": 1}])]),
                     ({"bootstrap": "scriptless"}, ["--bootstrap", "scriptless"]),
                     ({"bootstrap": "nodeconfig"}, ["--bootstrap", "nodeconfig"])]
            for members, more in rows:
                with self.subTest(members=members):
                    code, out, err = run(*words, *more)
                    status, text = self.api("POST", "/v1/resolve", json.dumps({**body, **members}))
                    self.assertEqual(status, 200 if code == 0 else 422, err + text)
                    if code != 0:
                        continue
                    if members.get("format") == "script":
                        self.assertEqual(json.loads(text)["script"], out)
                        continue
                    mine, theirs = json.loads(text), json.loads(out)
                    for document in (mine, theirs):
                        if isinstance(document, dict):
                            document.pop("warnings", None)  # the program prints those of the sources on stderr
                    self.assertEqual(mine, theirs)

    def test_resolve_with_the_address_for_results(self):
        flags = self.serve_with_results()
        with tempfile.TemporaryDirectory() as folder:
            body, words = self.sources(folder)
            for format in ("json", "vm", "vmss"):
                with self.subTest(format=format):
                    code, out, err = run(*words, *flags, "--bootstrap", "nodeconfig", "--format", format)
                    status, text = self.api("POST", "/v1/resolve", json.dumps({**body, "bootstrap": "nodeconfig", "format": format}))
                    self.assertEqual((code, status), (0, 200), err + text)
                    mine, theirs = json.loads(text), json.loads(out)
                    for document in (mine, theirs):
                        document.pop("warnings", None)  # the program prints those of the sources on stderr
                    self.assertEqual(mine, theirs)

    def test_documents(self):
        names = ("nodepool", "nodeclass", "settings")
        texts = {name: (EXAMPLES / f"{name}.yaml").read_text() for name in names}
        broken = {**texts, "nodeclass": texts["nodeclass"].replace("maxPods: 60", "maxPods: 1")}
        with tempfile.TemporaryDirectory() as folder:
            for given in (texts, broken):
                words = ["resolve", "--format", "nodeconfig"]
                for name in names:
                    file = pathlib.Path(folder, f"{name}.yaml")
                    file.write_text(given[name])
                    words += [f"--{name}", str(file)]
                code, out, err = run(*words)
                status, text = self.api("POST", "/v1/resolve/check", "---\n".join(given.values()))
                told = json.loads(text)
                self.assertEqual((status, told["refused"], told["errors"] > 0), (200, code != 0, code != 0), err + text)
                if code == 0:
                    self.assertEqual(told["nodeConfig"], json.loads(out))
                for finding in told["findings"]:
                    self.assertIn(finding["message"], err)
                self.assertEqual(told["errors"], len(re.findall("^error: ", err, re.MULTILINE)))
        self.assertIn("must be 10..250", err)

    def test_drift(self):
        with tempfile.TemporaryDirectory() as folder:
            body, words = self.sources(folder)
            was = json.loads(run(*words)[1])
            is_now = json.loads(run(*words, "--instance-type", "Standard_D8s_v5")[1])
            body["nodeClass"]["spec"]["maxPods"] = 99
            other = json.loads(run(*words[:-1], self.as_file(folder, body["nodeClass"]))[1])
            for left, right in ((was, was), (was, is_now), (was, other), ({}, was), (was, [])):
                with self.subTest(right=str(right)[:60]):
                    code, out, err = run("drift", self.as_file(folder, left), self.as_file(folder, right), "--format", "json")
                    status, text = self.api("POST", "/v1/drift", json.dumps({"was": left, "is": right}))
                    self.assertEqual(status, 200 if out else 422, err + text)
                    if out:
                        self.assertEqual(json.loads(text), json.loads(out))
                        self.assertEqual(code, int(json.loads(out)["drifted"]))

    def test_hash(self):
        example = yaml_as_json(EXAMPLES / "nodeclass.yaml")
        wrong = {**example, "spec": {**example["spec"], "maxPods": 1}}
        with tempfile.TemporaryDirectory() as folder:
            for given in (example, {"kind": "AKSNodeClass", "spec": {}}, wrong):
                code, out, err = run("nodeclass", "hash", self.as_file(folder, given))
                status, text = self.api("POST", "/v1/nodeclass/hash", json.dumps(given))
                self.assertEqual(status, 200 if code == 0 else 422, err + text)
                if code == 0:
                    self.assertEqual(json.loads(text)["hash"], out.strip())
                else:
                    self.assertIn(json.loads(text)["errors"][0]["message"], err)


if __name__ == "__main__":
    unittest.main()
