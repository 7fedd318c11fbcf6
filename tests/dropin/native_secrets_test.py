"""No credential of a config leaves native provisioning: the real program on a tree (secrets_test.py has the list). The
arguments of programs, and failures, are in tests/sim/secrets_test.cc."""
from harness import *
from secrets_test import needles, planted_config


class NativeTree(NodeTest):
    """A tree that can be provisioned natively, with a config that has every secret."""

    def setUp(self):
        super().setUp()
        config = planted_config()
        config.update(kubernetes_version="1.34.1", kubernetes_ca_cert=base64.b64encode(b"a certificate\n").decode(),
                      linux_admin_username="azureuser")
        config["api_server_config"] = {"api_server_name": "x.hcp.example"}
        config["kube_binary_config"].pop("custom_kube_binary_url", None)  # it would have to be downloaded
        config["custom_cloud_config"]["custom_cloud_env_name"] = "akscustom"
        self.config = self.write_config(config)
        for path, text in {"/etc/os-release": 'ID=ubuntu\nVERSION_ID="22.04"\n', "/etc/hostname": "node-0\n",
                           "/opt/azure/vhd-install.complete": "",
                           "/opt/bin/kubelet-1.34.1": "kubelet", "/opt/bin/kubectl-1.34.1": "kubectl",
                           "/etc/systemd/system/kubelet.service": "[Service]\nExecStart=/opt/bin/kubelet\n",
                           "/opt/cni/bin/bridge": "bridge", "/opt/cni/bin/10-azure.conflist": "{}"}.items():
            file = self.root / path[1:]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


class NativeSecrets(NativeTree):
    def assert_clean(self, run):
        """No secret in logs, events, results and records, and elsewhere none in files that other users can read."""
        places = {"stdout": run.stdout, "stderr": run.stderr}
        holders = set()
        for path in self.root.rglob("*"):
            if not path.is_file() or path.is_symlink():
                continue
            text, shown = path.read_text(errors="replace"), "/" + str(path.relative_to(self.root))
            if shown.startswith("/var/log/") or mode_of(path) & 0o077:
                places[shown] = text
            elif any(needle in text for needle in needles()):
                holders.add(shown)
        for place, text in places.items():
            for needle in needles():
                self.assertNotIn(needle, text, f"in {place}")
        return holders

    def test_a_provision_keeps_secrets_in_files_of_root_alone(self):
        run = self.provision("--mode", "native", "--root", self.root)
        self.assertEqual(run.returncode, 0, run.stderr)
        holders = self.assert_clean(run)
        # The node needs them: a test that found none anywhere would prove nothing.
        self.assertLessEqual({"/etc/kubernetes/azure.json", "/var/lib/kubelet/bootstrap-kubeconfig", "/etc/environment",
                              "/etc/kubernetes/akscustom.json"}, holders)
        self.assertTrue(self.read_result()["Output"], "the result has a log in it, which was looked at")
        self.assertTrue((self.root / "var/log/azure/aks-node-controller/trace.jsonl").exists())

    def test_a_failure_and_a_dry_run_give_nothing_away(self):
        runs = [self.provision("--mode", "native", "--root", self.root, "--dry-run")]
        (self.root / "etc/kubernetes").write_text("a file where a folder must be")
        runs.append(self.provision("--mode", "native", "--root", self.root))
        self.assertEqual(runs[0].returncode, 0, runs[0].stderr)
        self.assertNotEqual(runs[1].returncode, 0, "azure.json cannot be written")
        for run in runs:
            self.assert_clean(run)

    def test_a_plan_gives_nothing_away(self):
        for form in ("text", "json", "dot"):
            self.assert_clean(self.run_program("plan", "--provision-config", self.config, "--format", form, "--root", self.root))


if __name__ == "__main__":
    main()
