"""Hooks, tested from outside: mistakes are refused before anything is done, and the result names them. docs.hooks runs docs/hooks.md."""
import json
import os
import unittest

from harness import NodeTest


class Hooks(NodeTest):
    def setUp(self):
        super().setUp()
        self.steps = self.root / "etc/aks-node-controller/steps.d"
        self.steps.mkdir(parents=True)
        self.config = self.write_config({"version": "v1", "kubernetes_version": "1.34.1", "api_server_config": {"api_server_name": "api.example"}})

    def declare(self, name, hook):
        (self.steps / f"{name}.json").write_text(json.dumps(hook))

    def plan(self):
        return self.run_program("plan", "--provision-config", str(self.config), "--root", str(self.root), "--format", "json")

    def test_a_hook_is_a_step_of_the_plan(self):
        self.declare("site.early", {"argv": ["/bin/true"], "before": ["kubelet.started"], "purpose": "checks the disk"})
        self.declare("site.late", {"argv": ["/bin/true"]})
        run = self.plan()
        self.assertEqual(run.returncode, 0, run.stderr)
        steps = {s["name"]: s for s in json.loads(run.stdout)["steps"]}
        self.assertEqual((steps["site.early"]["phase"], steps["site.early"]["purpose"]), ("critical", "hook: checks the disk"))
        self.assertEqual(steps["site.late"]["phase"], "completion")
        self.assertIn("kubelet.started", steps["site.late"]["after"])

    def test_a_conflict_leaves_a_result_and_nothing_else(self):
        self.declare("kubelet.start", {"argv": ["/bin/true"]})
        run = self.run_program("provision", "--mode", "native", "--root", str(self.root), "--provision-config", str(self.config))
        self.assertEqual(run.returncode, 240, run.stderr)
        result = json.loads(self.result.read_text())
        self.assertEqual(result["ExitCode"], "240")
        self.assertIn("step kubelet.start: this is the name of a built-in step or milestone", result["Error"])
        self.assertIn("correct or remove /etc/aks-node-controller/steps.d/kubelet.start.json", json.dumps(result))
        self.assertFalse((self.root / "etc/kubernetes").exists())

    def test_what_others_can_change_is_refused(self):
        self.declare("site.hook", {"argv": ["/bin/true"]})
        for path in (self.steps / "site.hook.json", self.steps, self.steps.parent):
            mode = path.stat().st_mode
            path.chmod(mode | 0o020)
            run = self.plan()
            self.assertEqual(run.returncode, 1)
            self.assertIn("others can change it", run.stderr)
            path.chmod(mode)
        self.assertEqual(self.plan().returncode, 0)
        if os.geteuid() != 0:
            self.skipTest("only root can give a file to somebody else")
        os.chown(self.steps / "site.hook.json", 12345, 12345)
        self.assertIn("does not belong to root", self.plan().stderr)


if __name__ == "__main__":
    unittest.main()
