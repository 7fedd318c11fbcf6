#!/usr/bin/env python3
"""Both programs, from outside: their timeline verbs on recorded runs, budgets, comparisons and the support bundle."""

import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

SUNUP = os.environ["SUNUP"]
CONTROLLER = os.environ["AKS_NODE_CONTROLLER"]
CASES = Path(__file__).resolve().parent / "cases"
TOKEN = "q1w2e3.0123456789abcdef"


def run(*argv, **options):
    return subprocess.run([str(a) for a in argv], capture_output=True, text=True, timeout=60, **options)


class Timelines(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.dir = Path(self.temporary.name)

    def test_a_copied_log_directory_is_found_at_any_depth(self):
        source = CASES / "native" / "input"
        for inner in ("", "azure", "var/log/azure"):
            target = self.dir / (inner or "flat")
            logs = target if not inner else self.dir / "copy" / inner
            shutil.copytree(source, logs)
            if inner:
                (logs / "aks-node-controller").mkdir()
                (logs / "trace.jsonl").rename(logs / "aks-node-controller" / "trace.jsonl")
            top = logs if not inner else self.dir / "copy"
            out = run(SUNUP, "timeline", top)
            self.assertEqual(out.returncode, 0, out.stderr)
            self.assertIn("containerd.start done", out.stdout)
            shutil.rmtree(top)

    def test_formats_go_to_a_file(self):
        for name in ("json", "svg", "html", "perfetto", "otlp"):
            file = self.dir / name
            out = run(SUNUP, "timeline", CASES / "scripts" / "input", "--format", name, "--out", file)
            self.assertEqual((out.returncode, out.stdout), (0, ""), out.stderr)
            self.assertGreater(file.stat().st_size, 1000)

    def test_times_are_relative_to_the_chosen_zero(self):
        out = run(SUNUP, "timeline", CASES / "scripts" / "input", "--zero", "kubelet.started", "--format", "json")
        at = {m["id"]: m["at"] for m in json.loads(out.stdout)["milestones"]}
        self.assertEqual(at["kubelet.started"], 0)
        self.assertLess(at["controller.start"], 0)
        self.assertGreater(at["node.ready"], 0)
        out = run(SUNUP, "timeline", CASES / "no-journal" / "input", "--zero", "kubelet.started")
        self.assertEqual(out.returncode, 2)
        self.assertIn("kubelet.started", out.stderr)

    def test_what_cannot_be_read_is_one_line_and_exit_2(self):
        for argv in (["timeline", self.dir / "none"], ["timeline", self.dir], ["timeline"], ["timeline", "diff", self.dir, self.dir],
                     ["timeline", CASES / "scripts" / "input", "--format", "pdf"]):
            out = run(SUNUP, *argv)
            self.assertEqual((out.returncode, out.stdout, out.stderr.count("\n")), (2, "", 1), out.stderr)

    def test_a_budget_that_is_not_kept_fails(self):
        budget = self.dir / "budget"
        budget.write_text("zero kubelet.started\nnode.ready 60\n")
        self.assertEqual(run(SUNUP, "timeline", CASES / "scripts" / "input", "--budget", budget).returncode, 0)
        budget.write_text("zero kubelet.started\nnode.ready 0.5\n")
        out = run(SUNUP, "timeline", CASES / "scripts" / "input", "--budget", budget)
        self.assertEqual(out.returncode, 1)
        self.assertTrue(out.stdout.startswith("LATE"), out.stdout)
        budget.write_text("node.raedy 3\n")
        self.assertEqual(run(SUNUP, "timeline", CASES / "scripts" / "input", "--budget", budget).returncode, 2)

    def test_diff_takes_runs_groups_and_json(self):
        for group, case in (("a", "scripts"), ("b", "native")):
            for i in range(4):
                shutil.copytree(CASES / case / "input", self.dir / group / str(i))
        (self.dir / "c").mkdir()
        shutil.copy(CASES / "scripts" / "expected.json", self.dir / "c" / "one.json")
        out = run(SUNUP, "timeline", "diff", self.dir / "a", self.dir / "b", self.dir / "c", "--format", "json")
        self.assertEqual(out.returncode, 0, out.stderr)
        report = json.loads(out.stdout)
        self.assertEqual([g["runs"] for g in report["groups"]], [4, 4, 1])
        ready = next(m for m in report["milestones"] if m["id"] == "node.ready")
        self.assertEqual([c["judgement"] for c in ready["changes"]], ["faster", "too few runs to tell"])
        text = run(SUNUP, "timeline", "diff", self.dir / "a", self.dir / "b").stdout
        self.assertIn("NodeReady", text)
        self.assertIn("faster", text)

    def test_otlp_is_posted_to_a_collector(self):
        got = []

        class Collector(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                got.append((self.path, self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        out = run(SUNUP, "timeline", CASES / "scripts" / "input", "--post", f"http://127.0.0.1:{server.server_port}/v1/traces")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertEqual(got[0][:2], ("/v1/traces", "application/json"))
        self.assertEqual(json.loads(got[0][2]), json.loads((CASES / "scripts" / "expected.otlp.json").read_text()))

    def test_what_others_wrote_into_the_sources_is_not_repeated(self):
        """Our own record and log are redacted when they are written; kubelet, cloud-init and scripts write what they like."""
        for case in ("scripts", "native"):
            logs = self.dir / case
            shutil.copytree(CASES / case / "input", logs)
            entries = [json.loads(line) for line in (logs / "journal.json").read_text().splitlines()]
            for entry in entries:
                entry["MESSAGE"] = f"{entry['MESSAGE']} token={TOKEN} connection refused"
            (logs / "journal.json").write_text("".join(json.dumps(e) + "\n" for e in entries))
            (logs / "cloud-init.log").write_text("".join(f"{line} {TOKEN}\n" for line in (logs / "cloud-init.log").read_text().splitlines()))
            (logs / "provision.json").write_text(json.dumps(json.loads((logs / "provision.json").read_text()) | {"Output": TOKEN}))
            for event in (logs / "events").glob("*.json"):
                event.write_text(json.dumps(json.loads(event.read_text()) | {"Message": f"Completed: curl -H {TOKEN}"}))
            for name in ("text", "json", "svg", "html", "perfetto", "otlp"):
                out = run(SUNUP, "timeline", logs, "--format", name)
                self.assertEqual(out.returncode, 0, out.stderr)
                self.assertIn("kubelet", out.stdout)
                self.assertNotIn(TOKEN, out.stdout, (case, name))

    def node(self) -> Path:
        """A node's disk with the recorded run on it, and secrets in every log."""
        root = self.dir / "root"
        logs = root / "var/log/azure"
        source = CASES / "native-failed" / "input"
        (logs / "aks-node-controller").mkdir(parents=True)
        (logs / "aks").mkdir()
        shutil.copy(source / "trace.jsonl", logs / "aks-node-controller")
        shutil.copy(source / "provision.json", logs / "aks")
        shutil.copy(source / "aks-node-controller.log", logs)
        shutil.copy(source / "cloud-init.log", root / "var/log")
        (logs / "cluster-provision.log").write_text(f"curl -H 'Authorization: Bearer {TOKEN}' sp=hunter2/of+the=principal\n")
        containers = root / "opt/azure/containers"
        containers.mkdir(parents=True)
        (containers / "aks-node-controller-config.json").write_text(json.dumps({
            "version": "v1", "auth_config": {"service_principal_secret": "hunter2/of+the=principal"},
            "bootstrapping_config": {"tls_bootstrapping_token": TOKEN}}))
        return root

    def test_the_controller_shows_the_last_provision(self):
        root = self.node()
        out = run(CONTROLLER, "timeline", env={**os.environ, "SUNUP_ROOT": str(root)})
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("failed step: containerd.ready", out.stdout)
        self.assertIn("- journal: only files were looked at", out.stdout)
        out = run(CONTROLLER, "timeline", "--format", "pdf", env={**os.environ, "SUNUP_ROOT": str(root)})
        self.assertEqual(out.returncode, 1)

    def test_the_bundle_can_be_read_again_and_holds_no_secret(self):
        root = self.node()
        bundle = self.dir / "bundle.tar.zst"
        out = run(SUNUP, "collect", "--from", root, "--out", bundle)
        self.assertEqual((out.returncode, out.stdout), (0, f"{bundle}\n"), out.stderr)
        self.assertEqual(bundle.stat().st_mode & 0o777, 0o600)
        unpacked = self.dir / "unpacked"
        unpacked.mkdir()
        tar = run("tar", "--zstd", "-xf", bundle, "-C", unpacked)
        self.assertEqual(tar.returncode, 0, tar.stderr)
        names = {str(p.relative_to(unpacked)) for p in unpacked.rglob("*") if p.is_file()}
        self.assertLessEqual({"README.txt", "config.json", "timeline.html", "timeline.txt", "trace.jsonl", "provision.json"}, names)
        for name in names:
            text = (unpacked / name).read_text()
            self.assertNotIn(TOKEN, text, name)
            self.assertNotIn("hunter2", text, name)
        again = run(SUNUP, "timeline", unpacked)
        self.assertIn("failed step: containerd.ready", again.stdout)


if __name__ == "__main__":
    unittest.main()
