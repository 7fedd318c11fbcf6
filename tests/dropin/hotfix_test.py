"""check-hotfix and download-hotfix from outside. Retries and package managers: src/controller/download_hotfix_test.cc."""
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


if __name__ == "__main__":
    main()
