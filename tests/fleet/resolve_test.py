#!/usr/bin/env python3
"""Runs `sunup resolve` and `sunup serve` as a person or a script would.  usage: resolve_test.py SUNUP [unittest arguments]"""
import http.client
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
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
        for bootstrap in (["scriptless"], ["nodeconfig"], ["nodeconfig", "--results-url", "https://sunup.example"]):
            words = ["resolve", *SOURCES, "--bootstrap", *bootstrap]
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

    def test_an_address_for_results_is_not_ignored(self):
        address = ["--results-url", "https://sunup.example"]
        for words in (["--bootstrap", "scriptless"], ["--format", "nodeconfig"], ["--format", "variables"], ["--explain"]):
            code, out, err = run("resolve", *SOURCES, *words, *address)
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn("--results-url", err)
        # The provision mode of the settings is scriptless.
        plain, told = run("resolve", *SOURCES), run("resolve", *SOURCES, *address)
        self.assertEqual((told[0], told[1]), (0, plain[1]))
        self.assertIn("--results-url has no effect", told[2])
        code, out, err = run("resolve", *SOURCES, "--results-url", "http://sunup.example")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("not an https URL", err)

    def test_a_bad_line_fails_alone(self):
        code, out, _ = run("resolve", *SOURCES, "--batch", "-", stdin="{\n" + json.dumps(claim(1)) + "\n")
        self.assertEqual(code, 1)
        bad, good = map(json.loads, out.splitlines())
        self.assertIn("error", bad)
        self.assertEqual(good["name"], "aks-general-1")

    def test_lines_that_cannot_be_read_are_an_error_not_the_end(self):
        # Reading the memory of a process at the address 0 gives EIO.
        code, out, err = run("resolve", *SOURCES, "--batch", "/proc/self/mem")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("/proc/self/mem: Input/output error", err)
        code, out, err = run("resolve", *SOURCES, "--batch", "/etc")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("Is a directory", err)

    def test_a_line_has_a_limit_and_those_before_it_count(self):
        code, out, err = run("resolve", *SOURCES, "--batch", "-", stdin=json.dumps(claim(1)) + "\n" + " " * (16 << 20) + " \n" + json.dumps(claim(2)))
        self.assertEqual(code, 2)
        self.assertEqual(json.loads(out)["name"], "aks-general-1")
        self.assertIn("line 2 is longer than 16 MiB", err)
        code, out, _ = run("resolve", *SOURCES, "--batch", "-", stdin=" " * (16 << 20) + "\n" + json.dumps(claim(2)))
        self.assertEqual((code, json.loads(out)["name"]), (0, "aks-general-2"))

    def test_a_line_that_is_nested_too_deeply_fails_alone(self):
        deep = "[" * 50000
        code, out, _ = run("resolve", *SOURCES, "--batch", "-", stdin=deep + "\n" + json.dumps(claim(1)) + "\n")
        self.assertEqual(code, 1)
        bad, good = map(json.loads, out.splitlines())
        self.assertIn("nested more than 100 levels deep", bad["error"])
        self.assertEqual(good["name"], "aks-general-1")

    def test_settings_that_cannot_be_read_safely_are_refused(self):
        aliases = "l0: &l0 x\n" + "".join(f"l{i}: &l{i} [*l{i - 1}, *l{i - 1}, *l{i - 1}]\n" for i in range(1, 40))
        for text, code, expected in (("env: [{name: 5, value: x}]\n", 1, "must have a name"), (aliases, 2, "aliases expand to more"),
                                     ("[" * 50000, 2, "nested more than 100 levels deep")):
            done = run("resolve", "--settings", "-", *SOURCES[2:], stdin=text)
            self.assertEqual(done[0], code, done[2][:200])
            self.assertIn(expected, done[2])

    def test_strict_refuses_what_is_only_warned_of(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write((EXAMPLES / "settings.yaml").read_text() + "log-level: debug\n")
            file.flush()
            words = ["resolve", "--settings", file.name, *SOURCES[2:]]
            code, out, err = run(*words)
            self.assertEqual(code, 0)
            self.assertIn("log-level: affects only the controller", err)
            json.loads(out)
            self.assertEqual(run(*words, "--strict")[0], 1)

    def test_strict_passes_with_what_another_setting_demands(self):
        gallery = "use-sig: true\nsig-subscription-id: s\nsig-access-token-server-url: https://tokens.example.com\n"
        code, _, err = self.resolved_with("--strict", settings=("location: eastus\n", f"location: eastus\n{gallery}"))
        self.assertEqual(code, 0, err)
        self.assertRegex(err, r"^note: [^\n]*sig-access-token-server-url: is not contacted[^\n]*\n$")

    def test_drift_is_asked_of_one_node(self):
        nodes = {"kind": "List", "items": [{"kind": "Node", "metadata": {"name": name}} for name in ("a", "b")]}
        today = run("resolve", *SOURCES)[1]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(today)
            file.flush()
            code, out, err = run("drift", "-", file.name, stdin=json.dumps(nodes))
        self.assertEqual((code, out), (2, ""))
        self.assertIn("2 objects of kind Node (a, b)", err)

    def test_wrong_use_is_exit_2(self):
        for argv in (["--nodepool", "/nonexistent"], ["--format", "nonsense"], ["--batch", "/nonexistent", *SOURCES]):
            code, out, err = run("resolve", *argv)
            self.assertEqual((code, out), (2, ""), argv)
            self.assertTrue(err.strip(), argv)

    def resolved_with(self, *argv, **changes):
        """The example, with texts of its files replaced: {"nodepool": (old, new)}."""
        words = []
        with tempfile.TemporaryDirectory() as folder:
            for name in ("settings", "nodepool", "nodeclass"):
                text = (EXAMPLES / f"{name}.yaml").read_text()
                if name in changes:
                    self.assertIn(changes[name][0], text)
                    text = text.replace(*changes[name])
                path = pathlib.Path(folder) / f"{name}.yaml"
                path.write_text(text)
                words += [f"--{name}", str(path)]
            return run("resolve", *words, *argv)

    def test_options_that_cannot_have_their_way_are_wrong_use(self):
        for argv, named in ((["--explain", "--format", "vm"], ["--explain", "vm"]), (["--batch", "-", "--explain"], ["--batch", "--explain"]),
                            (["--batch", "-", "--format", "vm"], ["--batch", "vm"]), (["--batch", "-", "--nodeclaim", "x"], ["--batch", "--nodeclaim"]),
                            (["--batch", "-", "--strict"], ["--batch", "--strict"]), (["--format", "text"], ["--explain"]), (["--whole"], ["--explain"]),
                            (["--cluster-ca", "x"], ["--cluster-ca", "--cluster"]), (["--format", "nodeconfig", "--bootstrap", "scriptless"], ["nodeconfig", "scriptless"])):
            code, out, err = run("resolve", *SOURCES, *argv, stdin="")
            self.assertEqual((code, out), (2, ""), argv)
            for word in named:
                self.assertIn(word, err)

    def test_the_line_of_a_bad_claim_is_told(self):
        _, out, _ = run("resolve", *SOURCES, "--batch", "-", stdin="\n" + json.dumps(claim(1)) + "\n{\n")
        self.assertEqual(json.loads(out.splitlines()[1])["line"], 3)

    def test_a_size_that_nobody_described_is_told_with_what_to_do(self):
        for done in (run("resolve", *SOURCES, "--instance-type", "Standard_Foo"),
                     self.resolved_with(nodepool=("[Standard_D4s_v5, Standard_D8s_v5]", "[Standard_Foo]"))):
            self.assertNotEqual(done[0], 0)
            self.assertIn("Standard_Foo is not a known size", done[2])
            self.assertIn("--instance-type", done[2])

    def test_a_claim_without_its_pools_label_gets_all_of_the_only_pool(self):
        bare = {"metadata": {"name": "a1"}, "spec": {}}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(bare, file)
            file.flush()
            code, out, err = run("resolve", *SOURCES, "--nodeclaim", file.name, "--format", "nodeconfig")
        self.assertEqual(code, 0, err)
        self.assertIn("the claim names no node pool", err)
        config = json.loads(out)
        self.assertEqual(config["kubelet_config"]["kubelet_flags"]["--register-with-taints"].split(",")[0], "dedicated=web:NoSchedule")
        self.assertEqual(config["kubelet_config"]["kubelet_node_labels"]["karpenter.sh/nodepool"], "general")

    def test_what_the_api_server_would_refuse_is_refused_with_its_place(self):
        for changes, expected in (({"nodepool": ("[on-demand]", "[cheap]")}, r"nodepool\.yaml:13: .*requirements\[1\]\.values\[0\]: is 'cheap'.*\(rule: enum\)"),
                                  ({"nodepool": ("name: general", "name: Bad_Name")}, r"nodepool\.yaml:4: metadata\.name: is 'Bad_Name'.*\(rule: pattern\)"),
                                  ({"nodepool": ("spec:\n  template:", "spec:\n  limits: {cpu: lots}\n  template:")}, r"nodepool\.yaml:6: spec\.limits\.cpu: .*lots"),
                                  ({"nodeclass": ("name: default", "name: -default")}, r"nodeclass\.yaml:4: metadata\.name: "),
                                  ({"settings": ("ca-bundle: ", "ca-bundle: not base64!!")}, r"settings\.yaml:\d+: ca-bundle: .*\(rule: base64\)"),
                                  ({"settings": ("dns-service-ip: 10.0.0.10", "dns-service-ip: ten")}, r"settings\.yaml:11: dns-service-ip: is 'ten'")):
            code, out, err = self.resolved_with(**changes)
            self.assertEqual((code, out), (1, ""), changes)
            self.assertRegex(err, expected)

    def test_limits_and_capacity_types_of_the_api_are_accepted(self):
        limited = ("spec:\n  template:", 'spec:\n  limits: {cpu: "100", memory: 1000Gi, nodes: 3}\n  weight: 5\n  template:')
        code, _, err = self.resolved_with("--strict", nodepool=limited)
        self.assertEqual(code, 0)
        self.assertRegex(err, r"^note: .*nodepool.yaml:6: spec\.limits, spec\.weight: are handled by the autoscaler; .*\n$")
        code, _, err = self.resolved_with(nodepool=("[on-demand]", "[spot, on-demand, reserved]"))
        self.assertEqual((code, err), (0, ""))

    def test_the_examples_config_passes_the_check(self):
        code, config, err = run("resolve", *SOURCES, "--format", "nodeconfig", "--strict")
        self.assertEqual(code, 0)
        self.assertRegex(err, r"^note: network-policy: [^\n]*cilium[^\n]*\n$")
        self.assertEqual(run("resolve", *SOURCES, "--format", "nodeconfig", "--bootstrap", "nodeconfig")[1], config)
        code, out, err = run("config", "check", "-", stdin=config)
        self.assertEqual((code, err), (0, ""), out)

    def test_the_token_shows_in_custom_data_only(self):
        token = "0123456789abcdef"
        code, out, err = run("resolve", *SOURCES)
        template = json.loads(out)
        template.pop("customData")
        self.assertNotIn(token, json.dumps(template) + err)
        self.assertNotIn(token, "".join(run("resolve", *SOURCES, "--explain", "--whole")[1:]))


class Refusals(unittest.TestCase):
    def resolve(self, *words, **changed):
        with tempfile.TemporaryDirectory() as folder:
            sources = []
            for name in ("settings", "nodepool", "nodeclass"):
                text = (EXAMPLES / f"{name}.yaml").read_text()
                for old, new in changed.get(name, ()):
                    self.assertIn(old, text)
                    text = text.replace(old, new)
                path = pathlib.Path(folder) / f"{name}.yaml"
                path.write_text(text)
                sources += [f"--{name}", str(path)]
            return run("resolve", *sources, *words)

    BETA = (("karpenter.sh/v1", "karpenter.sh/v1beta1"), ("{group: karpenter.azure.com, ", "{"))

    def test_more_pods_than_a_node_can_run(self):
        kubelet = ("      taints:", "      kubelet: {maxPods: 2147483647}\n      taints:")
        code, _, err = self.resolve("--format", "vm", nodepool=(*self.BETA, kubelet), nodeclass=(("  maxPods: 60\n", ""),),
                                    settings=(("network-plugin-mode: overlay", 'network-plugin-mode: ""'), ("vnet-guid: 61f71907-753f-4802-a901-47361c3664f2\n", "")))
        self.assertEqual(code, 1)
        self.assertIn("--max-pods 2147483647 from nodepool (kubelet.maxPods)", err)

    def test_thresholds_in_the_wrong_order(self):
        code, _, err = self.resolve(nodeclass=(("  kubelet:\n", "  kubelet:\n    imageGCHighThresholdPercent: 70\n"),))
        self.assertEqual(code, 1)
        self.assertIn("--image-gc-high-threshold 70", err)

    def test_a_config_that_config_check_calls_wrong(self):
        code, _, err = self.resolve("--bootstrap", "nodeconfig", settings=(("abcdef.0123456789abcdef", "ABC.def"),))
        self.assertEqual(code, 1)
        self.assertIn("(from settings: kubelet-bootstrap-token)", err)
        self.assertNotIn("ABC.def", err)

    def test_wrong_use_of_cluster(self):
        for words in (["http://127.0.0.1:1"], ["https://127.0.0.1:1", "--cluster-ca", "/nonexistent"],
                      ["https://127.0.0.1:1", "--cluster-ca", str(EXAMPLES / "nodepool.yaml")]):
            code, out, err = run("resolve", *SOURCES, "--cluster", *words)
            self.assertEqual((code, out), (2, ""), err)

    def test_a_setting_that_is_null_is_told(self):
        code, _, err = self.resolve("--strict", settings=(("network-plugin-mode: overlay", "network-plugin-mode: null"),))
        self.assertEqual(code, 1)
        self.assertIn("network-plugin-mode: is null, which has no effect", err)

    def test_a_scale_sets_name_leaves_room_for_its_instances(self):
        for length, expected in ((54, 0), (55, 1)):
            code, _, err = self.resolve("--format", "vmss", nodepool=(("name: general", "name: " + "a" * length),))
            self.assertEqual(code, expected, err)

    def test_an_instance_type_file_is_judged(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("{name: Standard_X4s, vCPUs: 4, memoryGiB: 16, arch: riscv, colour: red}\n")
            file.flush()
            code, _, err = run("resolve", *SOURCES, "--instance-type", file.name)
        self.assertEqual(code, 1)
        self.assertIn("arch: is 'riscv'", err)
        self.assertIn("colour: there is no such field", err)


class ClusterId(unittest.TestCase):
    def test_of_a_name_and_of_a_url(self):
        for name in ("abc", "https://abc:443/", "https://user@abc/x?y"):
            self.assertEqual(run("cluster-id", name), (0, "64379487\n", ""), name)

    def test_letter_case_counts_as_the_hash_sees_it(self):
        self.assertNotEqual(run("cluster-id", "ABC")[1], run("cluster-id", "abc")[1])

    def test_what_is_no_host_is_refused(self):
        for name in ("", "https://", "a b", "a/b c", "http://:443", "-", "a..b"):
            code, out, err = run("cluster-id", name)
            self.assertEqual((code, out), (2, ""), name)
            self.assertIn("is neither a host name nor a URL", err)


class NodeClassHash(unittest.TestCase):
    def test_several_classes_give_a_line_each_with_its_name(self):
        text = (EXAMPLES / "nodeclass.yaml").read_text()
        alone = run("nodeclass", "hash", str(EXAMPLES / "nodeclass.yaml"))[1].strip()
        other = text.replace("name: default", "name: other").replace("maxPods: 60", "maxPods: 61")
        code, out, _ = run("nodeclass", "hash", "-", stdin=text + "---\n" + other)
        self.assertEqual(code, 0)
        first, second = (line.split() for line in out.splitlines())
        self.assertEqual(first, [alone, "default"])
        self.assertEqual(second[1], "other")
        self.assertNotEqual(second[0], alone)

    def test_a_class_that_breaks_a_rule_has_none(self):
        code, out, err = run("nodeclass", "hash", str(EXAMPLES / "broken.yaml"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("spec.maxPods: is 300", err)
        self.assertEqual(run("nodeclass", "hash", "-", stdin="spec: {maxPods: 60}\n")[0], 0)

    def test_another_object_is_refused(self):
        code, out, err = run("nodeclass", "hash", str(EXAMPLES / "nodepool.yaml"))
        self.assertEqual((code, out), (2, ""))
        self.assertIn("contains no AKSNodeClass", err)


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
        try:
            connection.request(method, path, body, headers={"Connection": "close"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def test_it_answers_until_it_is_told_to_stop(self):
        self.assertEqual(self.ask("GET", "/healthz"), (200, "ok\n"))
        status, body = self.ask("GET", "/v1/cluster-id?host=abc")
        self.assertEqual((status, json.loads(body)["clusterID"]), (200, "64379487"))
        self.server.terminate()
        self.assertEqual(self.server.wait(timeout=60), 0)

    def test_it_refuses_what_the_command_line_refuses(self):
        lines = [line for line in (EXAMPLES / "settings.yaml").read_text().splitlines() if not line.startswith("#")]
        settings = json.dumps(dict(line.split(": ", 1) for line in lines))
        pool = json.dumps({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "general"}, "spec": {"template": {"spec": {
            "requirements": [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["Standard_D4s_v5"]}],
            "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}}}}})
        node_class = json.dumps({"apiVersion": "karpenter.azure.com/v1beta1", "kind": "AKSNodeClass", "metadata": {"name": "default"},
                                 "spec": {"imageFamily": "Ubuntu2204", "osDiskSizeGB": 64, "maxPods": 60}})
        node = (EXAMPLES.parent / "node" / "config.json").read_text()

        def by_files(verb, **texts):
            with tempfile.TemporaryDirectory() as folder:
                words = []
                for name, text in texts.items():
                    file = pathlib.Path(folder) / f"{name}.json"
                    file.write_text(text)
                    words += [str(file)] if name in ("was", "isnow", "nodeclasshash") else [f"--{name}", str(file)]
                return run(*verb, *words)[0]

        def resolve(settings, pool, node_class, claim=None):
            members = {"settings": settings, "nodePool": pool, "nodeClass": node_class, **({"nodeClaim": claim} if claim else {})}
            code = by_files(["resolve"], settings=settings, nodepool=pool, nodeclass=node_class, **({"nodeclaim": claim} if claim else {}))
            return code, self.ask("POST", "/v1/resolve", "{" + ",".join(f'"{name}":{text}' for name, text in members.items()) + "}")

        def hashed(text):
            return by_files(["nodeclass", "hash"], nodeclasshash=text), self.ask("POST", "/v1/nodeclass/hash", text)

        def drift(was, is_now):
            return (by_files(["drift"], was=was, isnow=is_now), self.ask("POST", "/v1/drift", f'{{"was":{was},"is":{is_now}}}'))

        def render(text, what, **query):
            words = [word for name, value in query.items() for word in (f"--{name}", value)]
            target = f"/v1/render/{what}" + "".join(f"?{name}={value}" for name, value in query.items())
            return by_files(["render", what, *words], config=text), self.ask("POST", target, text)

        template = run("resolve", *SOURCES)[1]
        claims = json.dumps(claim(0))
        accepted = {
            "resolve": resolve(settings, pool, node_class), "a claim": resolve(settings, pool, node_class, claims),
            "null is not set": resolve(settings, pool, node_class.replace('"maxPods": 60', '"maxPods": null')),
            "an unknown field, which the API server drops": resolve(settings, pool, node_class.replace('"maxPods"', '"podsAtMost"')),
            "hash": hashed(node_class), "drift": drift(template, template), "env": render(node, "env"),
            "custom data": render(node, "custom-data", os="flatcar"),
        }
        for what, (code, (status, body)) in accepted.items():
            self.assertEqual((code, status), (0, 200), f"{what}: {body}")
        refused = {
            "no JSON": resolve(settings, pool, "{"),
            "a wrong value": resolve(settings, pool, node_class.replace("60", "1")),
            "a wrong type": resolve(settings, pool, node_class.replace("60", '"many"')),
            "another kind": resolve(settings, node_class, pool.replace("NodePool", "Deployment")),
            "given twice": resolve(settings, pool, node_class.replace('"maxPods": 60', '"maxPods": 60, "maxPods": 70')),
            "a setting given twice": resolve(settings.replace("{", '{"location": "westus", ', 1), pool, node_class),
            "a wrong setting": resolve(settings.replace("10.0.0.10", "ten"), pool, node_class),
            "a setting that is missing": resolve(settings.replace("cluster-name", "cluster-title"), pool, node_class),
            "a claim of another pool": resolve(settings, pool, node_class, claims.replace('"karpenter.sh/nodepool": "general"', '"karpenter.sh/nodepool": "x"')),
            "a claim of a wrong type": resolve(settings, pool, node_class, "5"),
            "deep nesting": resolve(settings, pool, node_class.replace("60", "[" * 200 + "]" * 200)),
            "the hash of a class with a wrong value": hashed(node_class.replace("60", "1")),
            "the hash of a class with a field given twice": hashed(node_class.replace('"maxPods": 60', '"maxPods": 60, "maxPods": 70')),
            "the hash of another object": hashed(pool),
            "drift of what is no template": drift("{}", template),
            "drift of a text": drift('"x"', template),
            "a config of another version": render(node.replace('"v1"', '"v9"'), "env"),
            "a config with a field given twice": render(node.replace("{", '{"version": "v1",', 1), "env"),
            "custom data for an unknown system": render(node, "custom-data", os="beos"),
            "an empty config": render("", "env"),
        }
        for what, (code, (status, body)) in refused.items():
            with self.subTest(what):
                self.assertNotEqual(code, 0, "the command line accepts it")
                self.assertIn(status, (400, 422), f"the API accepts it: {body}")
                self.assertIn("error", json.loads(body))


class Gallery(unittest.TestCase):
    """A gallery that responds in pages, the first of which contains the address of the next."""

    def setUp(self):
        test = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                page = {"value": [{"os": "AKSUbuntu", "sku": "2204gen2containerd", "version": "202601.01.0"}]}
                if self.path == "/first":
                    page["nextLink"] = f"http://127.0.0.1:{test.next_port}/second"
                else:
                    page["value"][0]["version"] = "202602.02.0"
                body = json.dumps(page).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
        self.port, self.other_port = (server.server_address[1] for server in servers)

    def ask(self):
        return run("resolve", *SOURCES, "--image-versions", f"http://127.0.0.1:{self.port}/first")

    def test_its_next_page_is_read_from_the_same_server_only(self):
        self.next_port = self.port
        code, out, err = self.ask()
        self.assertEqual(code, 0, err)
        self.assertIn("2204gen2containerd/versions/202602.02.0", out)
        self.next_port = self.other_port
        code, _, err = self.ask()
        self.assertEqual(code, 2)
        self.assertIn("its next page is on another host", err)


if __name__ == "__main__":
    unittest.main()
