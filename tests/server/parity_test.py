#!/usr/bin/env python3
"""The API gives the answers of the command line: each row runs both on the same input."""
import base64
import json
import pathlib
import subprocess
import tempfile
import unittest

from serving import CONFIG, ENV, SOURCE, SUNUP, Case, make_ca

OTHER = json.dumps({**json.loads(CONFIG), "kubernetes_version": "1.32.0", "colour": "red"})
WRONG = json.dumps({**json.loads(CONFIG), "version": "v9"})
ODD = json.dumps({**json.loads(CONFIG), "unknown_field": 1, "kubernetes_version": "1.33"})
STATUS = (SOURCE / "tests" / "client" / "extension-messages" / "api-server-unknown.txt").read_text()


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
        return status, text

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

    def test_resolve(self):
        self.compare_resolve()

    def test_resolve_with_the_address_for_results(self):
        flags = self.serve_with_results()
        self.compare_resolve(*flags, "--bootstrap", "nodeconfig", formats=("json", "vm", "vmss"), bootstrap="nodeconfig")

    def compare_resolve(self, *flags, formats=("json", "vm", "vmss", "variables", "nodeconfig", "script"), **more):
        examples = SOURCE / "examples" / "fleet"
        body = {"settings": yaml_as_json(examples / "settings.yaml"), "nodePool": yaml_as_json(examples / "nodepool.yaml"),
                "nodeClass": yaml_as_json(examples / "nodeclass.yaml"), **more}
        with tempfile.TemporaryDirectory() as folder:
            words = ["resolve"]
            for flag, member in (("settings", "settings"), ("nodepool", "nodePool"), ("nodeclass", "nodeClass")):
                file = pathlib.Path(folder, flag)
                file.write_text(json.dumps(body[member]))
                words += [f"--{flag}", str(file)]
            for format in formats:
                with self.subTest(format=format):
                    code, out, err = run(*words, *flags, "--format", format)
                    status, text = self.api("POST", "/v1/resolve", json.dumps({**body, "format": format}))
                    self.assertEqual((code, status), (0, 200), err + text)
                    if format == "script":
                        self.assertEqual(json.loads(text)["script"], out)
                    elif format == "json":
                        mine, theirs = json.loads(text), json.loads(out)
                        for document in (mine, theirs):
                            document.pop("warnings", None)  # the program prints those of the sources on stderr
                        self.assertEqual(mine, theirs)
                    else:
                        self.assertEqual(json.loads(text), json.loads(out))


if __name__ == "__main__":
    unittest.main()
