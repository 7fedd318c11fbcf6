#!/usr/bin/env python3
"""Both programs, from outside: their timeline verbs on recorded runs, budgets, comparisons and the support bundle."""

import base64
import http.server
import json
import os
import shutil
import socket
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

    def test_a_budget_and_a_format_need_a_file_to_tell_them_apart(self):
        budget = self.dir / "budget"
        budget.write_text("node.ready 100s\n")
        out = run(SUNUP, "timeline", CASES / "scripts" / "input", "--budget", budget, "--format", "json")
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        self.assertIn("--budget", out.stderr)
        self.assertIn("--format", out.stderr)
        out = run(SUNUP, "timeline", CASES / "scripts" / "input", "--budget", budget, "--format", "json", "--out", self.dir / "t.json")
        self.assertEqual(out.returncode, 0, out.stderr)
        json.loads((self.dir / "t.json").read_text())

    def test_the_controllers_timeline_goes_through_a_symlink_and_makes_no_directory(self):
        root = self.dir / "root"
        shutil.copytree(CASES / "native" / "input", root / "var/log/azure")
        (root / "var/log/azure/aks-node-controller").mkdir()
        (root / "var/log/azure/trace.jsonl").rename(root / "var/log/azure/aks-node-controller/trace.jsonl")
        (self.dir / "link").symlink_to("page")
        out = run(CONTROLLER, "timeline", "--format", "html", "--out", self.dir / "link", env={"SUNUP_ROOT": str(root)})
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertTrue((self.dir / "link").is_symlink())
        self.assertIn("<html", (self.dir / "page").read_text())
        out = run(CONTROLLER, "timeline", "--out", self.dir / "no" / "page", env={"SUNUP_ROOT": str(root)})
        self.assertEqual(out.returncode, 1)
        self.assertIn("no such directory", out.stderr)

    def test_where_nothing_is_found_it_says_what_was_looked_for(self):
        out = run(SUNUP, "timeline", self.dir)
        self.assertEqual(out.returncode, 2)
        for name in ("provision.json", "journal"):
            self.assertIn(name, out.stderr)

    def test_times_are_relative_to_the_chosen_zero(self):
        out = run(SUNUP, "timeline", CASES / "scripts" / "input", "--zero", "kubelet.started", "--format", "json")
        at = {m["id"]: m["at"] for m in json.loads(out.stdout)["milestones"]}
        self.assertEqual(at["kubelet.started"], 0)
        self.assertLess(at["controller.start"], 0)
        self.assertGreater(at["node.ready"], 0)
        out = run(SUNUP, "timeline", CASES / "native" / "input", "--zero", "step:kubelet.start:end", "--format", "json")
        self.assertEqual(json.loads(out.stdout)["zero"]["label"], "kubelet.start done")
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

    def test_a_run_that_failed_keeps_no_budget(self):
        budget = self.dir / "budget"
        budget.write_text("containerd.started 60\nkubelet.started 60\nprovision.complete 60\n")
        out = run(SUNUP, "timeline", CASES / "native-failed" / "input", "--budget", budget)
        self.assertEqual(out.returncode, 1, out.stdout)
        self.assertIn("the run's state is 'failed'", out.stdout)
        self.assertNotIn("ok ", out.stdout)

    def test_a_run_that_failed_is_not_called_faster(self):
        for group, case in (("a", "native"), ("b", "native-failed")):
            for i in range(4):
                shutil.copytree(CASES / case / "input", self.dir / group / str(i))
        out = run(SUNUP, "timeline", "diff", self.dir / "a", self.dir / "b")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("4 of 4 runs failed", out.stdout)
        self.assertNotIn("faster", out.stdout)

    def test_diff_reads_timelines_of_others_with_care_and_moves_them_to_the_zero(self):
        good = json.loads((CASES / "native" / "expected.json").read_text())
        broken = json.loads(json.dumps(good))
        broken["milestones"][0]["label"] = 5
        broken["spans"][0]["kind"] = 5
        broken["spans"][1]["depth"] = "x"
        (self.dir / "a.json").write_text(json.dumps(good))
        (self.dir / "b.json").write_text(json.dumps(broken))
        out = run(SUNUP, "timeline", "diff", self.dir / "a.json", self.dir / "b.json", "--zero", "kubelet.started", "--format", "json")
        self.assertEqual(out.returncode, 0, out.stderr)
        base = {m["id"]: m["base"]["median"] for m in json.loads(out.stdout)["milestones"]}
        self.assertEqual(base["kubelet.started"], 0)
        self.assertLess(base["controller.start"], 0)
        out = run(SUNUP, "timeline", "diff", self.dir / "a.json", CASES / "going-on" / "expected.json", "--zero", "kubelet.started")
        self.assertEqual(out.returncode, 2)
        self.assertIn("'kubelet.started' did not happen", out.stderr)

    def test_a_log_without_bounds_is_read_in_part_and_that_is_said(self):
        logs = self.dir / "logs"
        shutil.copytree(CASES / "native" / "input", logs)
        os.truncate(logs / "cloud-init.log", 40 << 30)
        out = run(SUNUP, "timeline", logs)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("cloud-init.log; cut: ", out.stdout)
        self.assertIn("boothook:", out.stdout)

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

    def test_spans_that_a_collector_refuses_are_a_failure(self):
        replies = [b'{"partialSuccess":{"rejectedSpans":"5","errorMessage":"too \\u001b[31mmany"}}', b'{"partialSuccess":{"errorMessage":"soon"}}']

        class Choosy(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(replies.pop(0))

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Choosy)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        post = (SUNUP, "timeline", CASES / "scripts" / "input", "--post", f"http://127.0.0.1:{server.server_port}/v1/traces")
        out = run(*post)
        self.assertEqual(out.returncode, 2)
        self.assertRegex(out.stderr, r"the collector rejected 5 of \d+ spans: too \\x1b\[31mmany\n")
        out = run(*post)
        self.assertEqual(out.returncode, 0)
        self.assertIn("the collector accepted it with the message: soon", out.stderr)

    def test_a_collectors_password_is_not_shown(self):
        class Refusing(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.send_response(403)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Refusing)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        out = run(SUNUP, "timeline", CASES / "scripts" / "input", "--post", f"http://me:hunter2@127.0.0.1:{server.server_port}/v1?key=hunter2")
        self.assertEqual(out.returncode, 2)
        self.assertIn("403", out.stderr)
        self.assertNotIn("hunter2", out.stderr)
        server.shutdown()
        server.server_close()
        # Bound, so that no other program can listen there.
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            out = run(SUNUP, "timeline", CASES / "scripts" / "input", "--post", f"http://me:hunter2@127.0.0.1:{nobody.getsockname()[1]}/v1?key=hunter2")
        self.assertEqual(out.returncode, 2)
        self.assertNotIn("hunter2", out.stderr)

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
        self.assertIn("- journal: only files were read", out.stdout)
        out = run(CONTROLLER, "timeline", "--format", "pdf", env={**os.environ, "SUNUP_ROOT": str(root)})
        self.assertEqual(out.returncode, 1)

    def test_the_controller_says_what_it_looked_for(self):
        out = run(CONTROLLER, "timeline", env={**os.environ, "SUNUP_ROOT": str(self.dir)})
        self.assertEqual(out.returncode, 1)
        self.assertIn("looked for run record", out.stderr)

    def collected(self, source: Path) -> tuple[dict, str]:
        out = run(SUNUP, "collect", "--from", source, "--out", self.dir / "b.tar.zst")
        self.assertEqual(out.returncode, 0, out.stderr)
        unpacked = self.dir / "unpacked"
        shutil.rmtree(unpacked, ignore_errors=True)
        unpacked.mkdir()
        self.assertEqual(run("tar", "--zstd", "-xf", self.dir / "b.tar.zst", "-C", unpacked).returncode, 0)
        return {str(p.relative_to(unpacked)): p.read_text() for p in unpacked.rglob("*") if p.is_file()}, out.stderr

    def test_a_bundle_without_a_config_has_no_named_secret_and_says_how_it_looked(self):
        root = self.node()
        (root / "opt/azure/containers/aks-node-controller-config.json").unlink()
        key = base64.b64encode(b"-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n").decode()
        dirty = f"SERVICE_PRINCIPAL_FILE_CONTENT='hunter2/of+the=principal' KUBELET_CLIENT_CONTENT={key}"
        (root / "var/log/azure/cluster-provision.log").write_text(dirty)
        (root / "var/log/azure/aks/provision.json").write_text(json.dumps({"ExitCode": "50", "Output": dirty, "Error": dirty}))
        files, said = self.collected(root)
        for name, text in files.items():
            self.assertNotIn("hunter2", text, name)
            self.assertNotIn(key[:40], text, name)
        self.assertIn("There was no node config", files["README.txt"])
        self.assertIn("There was no node config", said)

        # The command file replaces the config: its values are known and found everywhere.
        (root / "opt/azure/containers/aks-node-controller-nbc-cmd.sh").write_text(f"{dirty} /bin/bash start\n")
        (root / "var/log/azure/cluster-provision.log").write_text("x hunter2/of+the=principal y\n")
        files, said = self.collected(root)
        self.assertEqual(files["cluster-provision.log"], "x [redacted] y\n")
        self.assertNotIn("no node config", said)

        # A config that cannot be read: no text that anybody wrote comes in.
        (root / "opt/azure/containers/aks-node-controller-config.json").write_text('{"version":"v1","auth_conf')
        files, said = self.collected(root)
        self.assertNotIn("cluster-provision.log", files)
        self.assertIn("left out: cluster-provision.log", files["README.txt"])

    def test_links_of_a_copied_disk_do_not_lead_out_of_it(self):
        """The disk comes from another machine: its links may name files of this one."""
        outside = self.dir / "outside"
        outside.mkdir()
        for name in ("waagent.log", "10-x.conf", "trace.jsonl"):
            (outside / name).write_text("text of this machine\n")
        root = self.node()
        (root / "var/log/waagent.log").unlink(missing_ok=True)
        (root / "var/log/waagent.log").symlink_to(outside / "waagent.log")
        (root / "var/log/cloud-init-output.log").unlink(missing_ok=True)
        (root / "var/log/cloud-init-output.log").symlink_to("../../../outside/waagent.log")
        drop_ins = root / "etc/systemd/system/kubelet.service.d"
        drop_ins.parent.mkdir(parents=True, exist_ok=True)
        drop_ins.symlink_to(outside)
        # One that stays inside is followed, as it was on the node.
        (root / "etc/os-release").unlink(missing_ok=True)
        (root / "usr/lib").mkdir(parents=True)
        (root / "usr/lib/os-release").write_text("ID=test\n")
        (root / "etc/os-release").symlink_to("/usr/lib/os-release")
        files, said = self.collected(root)
        for name, text in files.items():
            self.assertNotIn("text of this machine", text, name)
        self.assertIn("left out: waagent.log", said)
        self.assertEqual(files["os-release"], "ID=test\n")

        logs = self.dir / "logs"
        logs.mkdir()
        (outside / "trace.jsonl").write_bytes((CASES / "native" / "input" / "trace.jsonl").read_bytes())
        (logs / "trace.jsonl").symlink_to(outside / "trace.jsonl")
        self.assertEqual(run(SUNUP, "timeline", logs).returncode, 2)
        (self.dir / "runs").mkdir()
        (self.dir / "runs" / "one").symlink_to(CASES / "native" / "input")
        self.assertEqual(run(SUNUP, "timeline", "diff", self.dir / "runs", CASES / "native" / "input").returncode, 2)

    def test_a_copy_of_the_logs_alone_gives_the_provision_log(self):
        for source in ("var/log/azure", "var/log"):
            files, said = self.collected(self.node() / source)
            self.assertIn("cluster-provision.log", files, source)
            self.assertIn("left out: os-release: neither at", said)
            shutil.rmtree(self.dir / "root")

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
