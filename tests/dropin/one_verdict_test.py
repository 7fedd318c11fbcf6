"""provision, provision.json and provision-wait report the same result of a node, even if some files cannot be written."""
from harness import *
from native_secrets_test import NativeTree


class OneVerdict(NativeTree):
    def provision_natively(self, **options):
        return self.run_program("provision", "--provision-config", self.config, "--mode", "native", "--root", self.root,
                                **options)

    def assert_failure(self, run):
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertNotEqual(self.read_result()["ExitCode"], "0")
        self.assertEqual(self.run_program("provision-wait").returncode, 1)

    def test_marker_that_cannot_be_written_is_a_failure_for_everybody(self):
        (self.complete / "in the way").mkdir(parents=True)
        run = self.provision_natively()
        self.assertIn("failed to write provision.complete file", run.messages)
        self.assert_failure(run)
        self.assertFalse((self.complete.parent / ".provision.unfinished").exists(), "boot would provision again")

    def test_result_that_cannot_be_written_is_a_failure_for_everybody(self):
        (self.result / "in the way").mkdir(parents=True)
        run = self.provision_natively()
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(self.run_program("provision-wait").returncode, 1)

    def test_disk_that_fills_up_leaves_room_for_the_verdict(self):
        for code in (0, 9):
            with self.subTest(code):
                for file in (self.result, self.complete):
                    file.unlink(missing_ok=True)
                # The script's own result does not fit, so the program writes the result.
                self.script(f"cat /dev/zero > {self.result.parent}/filler 2> /dev/null; printf x > $RESULT; exit {code}")
                command = (f"{PROGRAM} provision --provision-config {self.config} > /dev/null; echo $?; cat {self.result}; "
                           f"echo; {PROGRAM} provision-wait > /dev/null; echo $?")
                done = subprocess.run(self.on_small_disk(self.result.parent, "size=64k,nr_inodes=16", command),
                                      env=self.environment(), cwd=self.dir, capture_output=True)
                exit_code, result, waited = done.stdout.decode().splitlines()
                self.assertEqual(exit_code, str(code or 1), done.stderr)
                self.assertEqual(json.loads(result)["ExitCode"], str(code or 240))
                self.assertEqual(waited, "1")


if __name__ == "__main__":
    main()
