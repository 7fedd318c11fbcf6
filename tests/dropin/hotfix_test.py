"""check-hotfix and download-hotfix, tested from outside. Retries and package managers: src/controller/download_hotfix_test.cc."""
from harness import *


class CheckHotfix(NodeTest):
    def setUp(self):
        super().setUp()
        self.pointer = self.containers / "aks-node-controller-hotfix.json"
        self.node_config = self.containers / "aks-node-controller-config.json"

    def check(self, *args):
        run = self.run_program("check-hotfix", *args)
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
        return run

    def test_takes_the_pointer_of_the_node_config(self):
        self.node_config.write_text('{"version":"v1","hotfixes":{"202604.01":"202604.01.9"}}')
        self.check()
        self.assertEqual(self.pointer.read_text(), '{"hotfixes":{"202604.01":"202604.01.9"}}')
        self.assertEqual(oct(mode_of(self.pointer)), oct(0o644))
        self.assertEqual(self.event_messages(),
                         [("CheckHotfix", "Informational", "check-hotfix outcome=customDataFallback")])

    def test_keeps_the_versions_and_the_mode_of_an_old_pointer(self):
        self.node_config.write_text('{"hotfixes":{"b":"2","a":"1"}}')
        self.pointer.write_text('{"version":"1.2.3","scripts_version":"4.5.6","hotfixes":{"old":"1"},"other":1}')
        self.pointer.chmod(0o600)
        self.check()
        self.assertEqual(self.pointer.read_text(),
                         '{"version":"1.2.3","scripts_version":"4.5.6","hotfixes":{"a":"1","b":"2"}}')
        self.assertEqual(oct(mode_of(self.pointer)), oct(0o600))

    def test_replaces_a_pointer_that_cannot_be_read(self):
        self.node_config.write_text('{"hotfixes":{"a":"1"}}')
        self.pointer.write_text("broken")
        self.check()
        self.assertEqual(self.pointer.read_text(), '{"hotfixes":{"a":"1"}}')

    def test_failing_is_an_event_and_no_more(self):
        for text in None, "{}", "broken", '{"hotfixes":[]}':
            with self.subTest(text):
                if text is not None:
                    self.node_config.write_text(text)
                self.check("extra")
                self.assertFalse(self.pointer.exists())
                task, level, message = self.event_messages()[-1]
                self.assertEqual((task, level), ("CheckHotfix", "Error"))
                self.assertTrue(message.startswith("check-hotfix outcome=failed error="), message)


class DownloadHotfix(NodeTest):
    def test_takes_no_arguments(self):
        run = self.run_program("download-hotfix", "extra")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (1, "", ""))

    def test_nothing_to_do(self):
        run = self.run_program("download-hotfix")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.messages, ["download-hotfix started", "download-hotfix finished"])
        self.assertEqual(self.events(), [])


class EmbeddedHotfix(NodeTest):
    """The scripts hotfix inside the package of a program hotfix, and the verbs that a newer launcher calls."""
    LIST = ("write_files:\n- path: /opt/azure/containers/provision_source.sh\n  permissions: '0744'\n  content: new\n"
            "- path: /opt/azure/containers/provision_start.sh\n  content: new\n")

    def setUp(self):
        super().setUp()
        self.package = self.root / "usr/share/aks-node-controller/hotfix"
        self.package.mkdir(parents=True)
        (self.root / "etc").mkdir()
        self.source = self.containers / "provision_source.sh"
        self.source.write_text("old")
        self.start_script = self.containers / "provision_start.sh"
        self.start_script.write_text("old")
        self.kept = self.containers / "embedded-nodecustomdata.yml"

    def apply(self, os_release, verb="apply-embedded-hotfix"):
        (self.root / "etc/os-release").write_text(os_release)
        for file in (self.source, self.start_script):
            file.write_text("old")
        return self.run_program(verb, "a", "word", "too", "many")

    def test_is_applied_on_the_distributions_that_it_is_made_for(self):
        (self.package / "ubuntu.yml").write_text(self.LIST)
        (self.package / "mariner.yml").write_text(self.LIST.replace("new", "rpm"))
        for os_release, text in (("ID=ubuntu\nVERSION_ID=24.04\n", "new"), ("ID=azurelinux\nVERSION_ID=3.0\n", "rpm"),
                                 ("ID=mariner\nVERSION_ID=2.0\n", "rpm"), ("ID=azurelinux\nVARIANT_ID=osguard\n", "old"),
                                 ("ID=azurelinux\nVARIANT_ID=azurecontainerlinux\n", "old"), ("ID=flatcar\n", "old")):
            for verb in ("apply-embedded-hotfix", "apply-hotfix"):
                with self.subTest(os_release, verb=verb):
                    self.kept.unlink(missing_ok=True)
                    self.assertEqual(self.apply(os_release, verb).returncode, 0)
                    self.assertEqual(self.source.read_text(), text)
                    self.assertEqual(self.start_script.read_text(), "old", "it may be running")
                    self.assertEqual(self.kept.exists(), text != "old")
                    if self.kept.exists():
                        self.assertEqual(mode_of(self.kept), 0o600)

    def test_without_one_there_is_nothing_to_do(self):
        run = self.apply("ID=ubuntu\n")
        self.assertEqual(run.returncode, 0)
        self.assertFalse(self.kept.exists())

    def test_one_that_cannot_be_used_changes_nothing(self):
        (self.package / "ubuntu.yml").write_text(self.LIST + "- path: relative\n")
        run = self.apply("ID=ubuntu\n")
        self.assertEqual(run.returncode, 1)
        self.assertIn("failed to apply the scripts hotfix of the package", run.messages)
        self.assertEqual(self.source.read_text(), "old")

    def test_custom_data_is_applied_if_the_pointer_wants_it(self):
        (self.containers / "nodecustomdata.yml").write_text(self.LIST)
        base, patch = VERSION.rsplit(".", 1)
        pointer = self.containers / "aks-node-controller-hotfix.json"
        for wanted, text in ((f"{base}.{int(patch) + 1}", "new"), (VERSION, "old"), ("", "old")):
            with self.subTest(wanted):
                pointer.write_text(json.dumps({"scripts_version": wanted}))
                self.assertEqual(self.apply("ID=ubuntu\n", "apply-node-custom-data").returncode, 0)
                self.assertEqual(self.source.read_text(), text)

    def test_command_that_we_do_not_know_leaves_nothing_behind(self):
        """A launcher that is newer than this program continues after it, and the node's result is not touched."""
        run = self.run_program("apply-something-newer", "--with=options")
        self.assertNotEqual(run.returncode, 0)
        run = self.run_program("apply-something-newer")
        self.assertEqual(run.returncode, 1)
        self.assertFalse(self.result.exists() or self.complete.exists() or (self.containers / ".provision.lock").exists())


if __name__ == "__main__":
    main()
