"""The Helm chart: lint, schema, and what its objects must be whatever the values are. Helm itself renders it.

The e2e case `chart` gives the same objects to a real API server.
"""
import base64
import io
import itertools
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

import yaml

from packages import BUILD, SOURCE, VERSION, one, pack

sys.path.insert(0, str(SOURCE / "tests/e2e"))
import charts  # noqa: E402

CHART = SOURCE / "packaging/helm/sunup"


def render(values: dict, check: bool = True, chart=CHART):
    return charts.render(chart, "rel", "sunup", values, check)


def kinds(objects, kind):
    return [o for o in objects if o["kind"] == kind]


def pod_spec(objects):
    [deployment] = kinds(objects, "Deployment")
    return deployment["spec"]["template"]["spec"]


class Chart(unittest.TestCase):
    def every_variant(self):
        return [(values, render(values)) for values in charts.VARIANTS.values()]

    def test_lint(self):
        for values in charts.VARIANTS.values():
            done = charts.helm("lint", "--strict", CHART, "--values", "-", text=json.dumps(values))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_pods_are_restricted(self):
        for _, objects in self.every_variant():
            spec = pod_spec(objects)
            self.assertEqual({k: spec["securityContext"][k] for k in ("runAsNonRoot", "seccompProfile")},
                             {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}})
            self.assertFalse({"hostNetwork", "hostPID", "hostIPC"} & spec.keys())
            self.assertFalse(spec["automountServiceAccountToken"])
            for container in spec["containers"]:
                port, scheme = ("https", "HTTPS") if container["name"] == "sunup" else ("karpenter", "HTTP")
                self.assertEqual(container["securityContext"], {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}})
                self.assertEqual({probe: container[probe]["httpGet"] for probe in ("livenessProbe", "readinessProbe")}, {
                    "livenessProbe": {"path": "/healthz", "port": port, "scheme": scheme},
                    "readinessProbe": {"path": "/readyz", "port": port, "scheme": scheme}})
                self.assertIn("memory", container["resources"]["limits"])
                self.assertTrue(all(m["readOnly"] for m in container["volumeMounts"]))
            self.assertEqual({k for v in spec["volumes"] for k in v} - {"name"}, {"secret", "projected"})

    def test_the_memory_limit_fits_the_work(self):
        values = charts.LEAST | {"karpenter": {"enabled": True, "settings": {"cluster-name": "demo"}}}
        containers = pod_spec(render(values))["containers"]
        self.assertEqual(len(containers), 2)
        for container in containers:
            flags = dict(word.split("=", 1) for word in container["args"] if "=" in word)
            self.assertEqual(container["resources"]["limits"]["memory"], "1Gi")
            self.assertLess(int(flags["--workers"]) * 400 + int(flags["--body-mebibytes"]), 1024)
        [container] = pod_spec(render(charts.LEAST | {"workers": 0, "bodyMemoryMiB": 32}))["containers"]
        self.assertFalse([word for word in container["args"] if word.startswith("--workers")])
        self.assertIn("--body-mebibytes=32", container["args"])

    def test_the_port_for_karpenter_has_no_secret_and_no_load_balancer(self):
        values = charts.LEAST | {"karpenter": {"enabled": True, "settings": {"cluster-name": "demo"}}, "service": {"type": "LoadBalancer"}}
        objects = render(values)
        [container] = [c for c in pod_spec(objects)["containers"] if c["name"] == "karpenter"]
        self.assertEqual([m["name"] for m in container["volumeMounts"]], ["settings"])
        self.assertEqual({s["metadata"]["name"]: s["spec"]["type"] for s in kinds(objects, "Service")}, {"rel-sunup": "LoadBalancer", "rel-sunup-karpenter": "ClusterIP"})
        [policy] = kinds(objects, "NetworkPolicy")
        [rule] = [r for r in policy["spec"]["ingress"] if r["ports"][0]["port"] == "karpenter"]
        self.assertTrue(rule["from"])
        [secret] = kinds(objects, "Secret")
        self.assertEqual(base64.b64decode(secret["data"]["settings.yaml"]), b"cluster-name: demo")
        for wrong, says in (({"networkPolicy": {"enabled": False}}, "networkPolicy"),
                            ({"karpenter": {"enabled": True, "settings": {"kubelet-bootstrap-token": "a.b"}}}, "kubelet-bootstrap-token")):
            self.assertIn(says, render(values | wrong, check=False).stderr)

    def test_every_container_makes_the_same_custom_data(self):
        values = charts.LEAST | {"karpenter": {"enabled": True}, "imageVersions": {"2204gen2containerd": "202608.14.0"},
                                 "results": {"url": "https://sunup.example:8443", "caSecretName": "sunup-ca"}}
        objects = render(values)
        spec = pod_spec(objects)
        volumes = {volume["name"]: volume for volume in spec["volumes"]}
        wanted = {"--results-url": "https://sunup.example:8443", "--results-ca": "/etc/sunup/results-ca/ca.crt",
                  "--image-versions": "/etc/sunup/image-versions/image-versions.json"}
        self.assertEqual({container["name"] for container in spec["containers"]}, {"sunup", "karpenter"})
        for container in spec["containers"]:
            self.assertLessEqual(wanted.items(), dict(a.split("=", 1) for a in container["args"] if "=" in a).items(), container["name"])
            mounts = {m["mountPath"]: volumes[m["name"]] for m in container["volumeMounts"]}
            self.assertEqual(mounts["/etc/sunup/results-ca"]["secret"]["items"], [{"key": "ca.crt", "path": "ca.crt"}])
            self.assertEqual(mounts["/etc/sunup/image-versions"]["projected"]["sources"], [{"configMap": {"name": "rel-sunup-image-versions"}}])
        [versions] = kinds(objects, "ConfigMap")
        self.assertEqual((versions["metadata"]["name"], json.loads(versions["data"]["image-versions.json"])), ("rel-sunup-image-versions", values["imageVersions"]))
        # The settings are read when a pod starts.
        [was, now] = [kinds(render(values | {"imageVersions": {"2204gen2containerd": v}}), "Deployment")[0]["spec"]["template"] for v in ("1.0.0", "1.0.1")]
        self.assertNotEqual(was["metadata"]["annotations"], now["metadata"]["annotations"])
        self.assertNotIn("--results-", json.dumps(pod_spec(render(charts.LEAST))))

    def test_notes_warn_about_results_that_do_not_arrive(self):
        def notes(**values):
            done = charts.helm("install", "rel", CHART, "--dry-run=client", "--values", "-", text=json.dumps(charts.LEAST | values))
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.split("NOTES:", 1)[1]

        address, balanced = {"url": "https://sunup.example"}, {"type": "LoadBalancer"}
        self.assertIn("cannot use a ClusterIP", notes())
        self.assertIn("cannot use a ClusterIP", notes(results=address))
        self.assertIn("results.url", notes(service=balanced))
        for good in ({"results": address, "service": balanced}, {"results": {"enabled": False}}):
            self.assertNotIn("results", notes(**good))

    def test_permissions_are_these_and_no_others(self):
        reviews = {("authentication.k8s.io", "tokenreviews", "create"), ("authorization.k8s.io", "subjectaccessreviews", "create")}
        results = {("karpenter.sh", "nodeclaims", "get"), ("karpenter.sh", "nodeclaims", "patch"), ("", "nodes", "get"), ("", "nodes", "patch")}
        events = {("", "events", "create")}
        for values, objects in self.every_variant():
            enabled = values.get("results", {}).get("enabled", True)
            account = pod_spec(objects)["serviceAccountName"]
            granted = {"ClusterRole": set(), "Role": set()}
            for binding in kinds(objects, "ClusterRoleBinding") + kinds(objects, "RoleBinding"):
                if {"kind": "ServiceAccount", "name": account, "namespace": "sunup"} not in binding["subjects"]:
                    continue
                [role] = [o for o in objects if o["kind"] == binding["roleRef"]["kind"] and o["metadata"]["name"] == binding["roleRef"]["name"]]
                self.assertEqual(role["metadata"].get("namespace"), binding["metadata"].get("namespace"))
                for rule in role["rules"]:
                    granted[role["kind"]] |= set(itertools.product(rule["apiGroups"], rule["resources"], rule["verbs"]))
            self.assertEqual(granted, {"ClusterRole": reviews | (results if enabled else set()), "Role": events if enabled else set()})

    def test_no_rule_has_a_wildcard(self):
        for _, objects in self.every_variant():
            rules = [rule for o in kinds(objects, "ClusterRole") + kinds(objects, "Role") for rule in o["rules"]]
            for rule in rules:
                for member in "apiGroups", "resources", "verbs":
                    self.assertNotIn("*", rule.get(member, []))
                for url in rule.get("nonResourceURLs", []):
                    self.assertIn(url, ("/v1/*", "/v1/nodes/*", "/metrics", "/getnodebootstrapdata", "/getlatestsigimageconfig", "/getdistrosigimageconfig"))

    def test_selectors_find_the_pods(self):
        for values, objects in self.every_variant():
            labels = kinds(objects, "Deployment")[0]["spec"]["template"]["metadata"]["labels"].items()
            for o in objects:
                spec = o.get("spec", {})
                selector = {"Service": lambda: spec["selector"], "NetworkPolicy": lambda: spec["podSelector"]["matchLabels"],
                            "Deployment": lambda: spec["selector"]["matchLabels"], "PodDisruptionBudget": lambda: spec["selector"]["matchLabels"]}
                if o["kind"] in selector:
                    wanted = selector[o["kind"]]()
                    self.assertTrue(wanted and wanted.items() <= labels, o["kind"])
            for constraint in pod_spec(objects).get("topologySpreadConstraints", []):
                self.assertLessEqual(constraint["labelSelector"]["matchLabels"].items(), labels)

    def test_arguments_are_options_of_the_program(self):
        known = subprocess.run([BUILD / "apps/sunup", "serve", "--help"], capture_output=True, text=True, check=True).stdout
        for values, objects in self.every_variant():
            for container in pod_spec(objects)["containers"]:
                verb, *arguments = container["args"]
                self.assertEqual(verb, "serve")
                for argument in arguments:
                    self.assertIn(argument.split("=")[0], known.replace(",", " ").split())

    def test_a_pod_that_ends_has_time_for_its_requests(self):
        for _, objects in self.every_variant():
            spec = pod_spec(objects)
            for container in spec["containers"]:
                self.assertGreaterEqual(spec["terminationGracePeriodSeconds"], container["lifecycle"]["preStop"]["sleep"]["seconds"] + 6)
            self.assertEqual(kinds(objects, "Deployment")[0]["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"], 0)
        self.assertIn("terminationGracePeriodSeconds", render({**charts.LEAST, "terminationGracePeriodSeconds": 10}, check=False).stderr)

    def test_defaults(self):
        objects = render(charts.LEAST)
        self.assertEqual(kinds(objects, "ServiceMonitor"), [])
        [scaler] = kinds(objects, "HorizontalPodAutoscaler")
        self.assertEqual(scaler["spec"]["minReplicas"], 2)
        self.assertEqual(len(kinds(objects, "PodDisruptionBudget")), 1)
        self.assertEqual(len(kinds(objects, "NetworkPolicy")), 1)
        self.assertEqual(kinds(objects, "CustomResourceDefinition"), [])
        # Only named subjects may use the API.
        self.assertEqual([b["subjects"] for b in kinds(objects, "ClusterRoleBinding") if b["roleRef"]["name"].endswith("-client")], [])
        [alone] = kinds(render(charts.LEAST | {"autoscaling": {"enabled": False}}), "Deployment")
        self.assertEqual(alone["spec"]["replicas"], 2)

    def test_two_releases_share_no_object(self):
        def names(release, namespace):
            return {(o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]) for o in charts.render(CHART, release, namespace, charts.LEAST)}

        self.assertEqual(names("one", "a") & names("one", "b"), set())
        self.assertEqual(names("one", "a") & names("two", "a"), set())

    def test_wrong_values_are_refused(self):
        for wrong, says in (({}, "image.repository is required"), ({"image": {"repository": "r"}}, "tls.secretName is required"),
                            ({**charts.LEAST, "replicas": 3}, "replicas"), ({**charts.LEAST, "service": {"type": "ExternalName"}}, "type"),
                            ({**charts.LEAST, "image": {"repository": "r", "digest": "abc"}}, "digest"),
                            ({**charts.LEAST, "results": {"url": "http://sunup.example"}}, "url"),
                            ({**charts.LEAST, "results": {"url": "https://sunup.example", "enabled": False}}, "results.enabled"),
                            ({**charts.LEAST, "results": {"caSecretName": "ca"}}, "results.url"),
                            ({**charts.LEAST, "clients": [{"kind": "ServiceAccount", "name": "x"}]}, "namespace")):
            done = render(wrong, check=False)
            self.assertNotEqual(done.returncode, 0, wrong)
            self.assertIn(says, done.stderr)

    def test_every_value_is_described_and_in_the_schema(self):
        page, schema = (CHART / "README.md").read_text(), json.loads((CHART / "values.schema.json").read_text())
        values = yaml.safe_load((CHART / "values.yaml").read_text())
        self.assertEqual(set(values), set(schema["properties"]) - {"global"})
        for name, value in values.items():
            self.assertIn(f"`{name}", page)
            if "properties" in schema["properties"][name] and name != "resources":
                self.assertEqual(set(value), set(schema["properties"][name]["properties"]), name)

    def test_package(self):
        with tempfile.TemporaryDirectory() as out:
            file = pathlib.Path(one(pack(out, "--only", "chart"), "sunup-", ".tgz"))
            self.assertEqual(file.name, f"sunup-{VERSION}.tgz")
            with tarfile.open(fileobj=io.BytesIO(file.read_bytes())) as tar:
                about = yaml.safe_load(tar.extractfile("sunup/Chart.yaml"))
            self.assertEqual((about["version"], about["appVersion"]), (VERSION, VERSION))
            self.assertEqual(charts.helm("lint", "--strict", file, "--values", "-", text=json.dumps(charts.LEAST)).returncode, 0)
            self.assertTrue(pod_spec(render(charts.LEAST, chart=file))["containers"][0]["image"].endswith(f":{VERSION}"))
            again = one(pack(f"{out}/again", "--only", "chart", TZ="Asia/Tokyo"), "sunup-", ".tgz")
            self.assertEqual(file.read_bytes(), pathlib.Path(again).read_bytes())
            # A pre-release, as charts spell it.
            self.assertTrue(one(pack(f"{out}/rc", "--only", "chart", version="9.0.0-rc1"), "sunup-", ".tgz").endswith("/sunup-9.0.0-rc1.tgz"))


if __name__ == "__main__":
    if not charts.program().exists():
        print(f"skipped: Helm is not compiled yet ({charts.program()}); ./dev test unit, or tests/e2e/k8s.py helm, does that")
        sys.exit(77)
    unittest.main(verbosity=2)
