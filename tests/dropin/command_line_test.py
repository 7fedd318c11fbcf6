"""The command line: output and exit code of each invocation (one test per row of the recordings)."""
from harness import *


class CommandLine(NodeTest):
    def assert_run(self, args, returncode, stdout="", stderr=""):
        run = self.run_program(*args)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (returncode, stdout, stderr), args)
        self.assertTrue(self.log.exists(), "every invocation makes the log")
        self.assertEqual(self.log_text(), "")
        self.assertEqual(self.events(), [])
        self.assertFalse(self.result.exists())
        return run

    def help_text(self, *args):
        run = self.run_program(*args)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_says_which_verb_it_does_not_know(self):
        for args in [], [""], ["--"]:
            self.assert_run(args, 1, "", "aks-node-controller: no command; 'aks-node-controller --help' lists them\n")
        self.assert_run(["frob\nnicate"], 1, "",
                        "aks-node-controller: no command \"frob\\nnicate\"; 'aks-node-controller --help' lists them\n")

    def test_says_what_was_probably_meant(self):
        self.assert_run(["provison"], 1, "", "aks-node-controller: no command \"provison\"; did you mean 'provision'?; "
                        "'aks-node-controller --help' lists them\n")
        self.assertIn("did you mean 'check-image'?", self.run_program("help", "check-imag").stderr)
        self.assert_run(["provision", "--provison-config", "x"], 1, "", "Incorrect Usage: flag provided but not defined: "
                        "-provison-config (did you mean -provision-config?)\n\n")

    def test_complains_about_a_wrong_flag_with_the_programs_help(self):
        self.assert_run(["frobnicate", "--x"], 1, self.help_text("--help"),
                        "Incorrect Usage: flag provided but not defined: -x\n\n")
        self.assert_run(["--bogus"], 1, self.help_text("--help"),
                        "Incorrect Usage: flag provided but not defined: -bogus\n\n")

    def test_complains_about_a_wrong_flag_of_a_verb_without_help(self):
        for verb in "version", "provision", "provision-wait":
            self.assert_run([verb, "--bogus"], 1, "", "Incorrect Usage: flag provided but not defined: -bogus\n\n")

    def test_complains_about_missing_and_wrong_values(self):
        self.assert_run(["provision", "--provision-config"], 1, "",
                        "Incorrect Usage: flag needs an argument: --provision-config\n\n")
        self.assert_run(["provision", "--dry-run=maybe"], 1, "",
                        'Incorrect Usage: invalid value "maybe" for flag -dry-run: parse error\n\n')
        self.assert_run(["provision", "--mode", "magic"], 1, "",
                        'Incorrect Usage: invalid value "magic" for flag -mode: must be auto, native or scripts\n\n')
        self.assert_run(["provision-wait", "--timeout=90x"], 1, "",
                        'Incorrect Usage: invalid value "90x" for flag -timeout: must be a duration such as 90s or 15m (a bare number is seconds)\n\n')

    def test_prints_the_version(self):
        self.assert_run(["version"], 0, VERSION + "\n")
        self.assert_run(["version", "extra"], 0, VERSION + "\n")
        for flag in "--version", "-v":
            self.assert_run([flag], 0, f"aks-node-controller version {VERSION}\n")

    def test_helps(self):
        root_help = self.help_text("--help")
        for verb in "provision", "provision-wait", "version":
            self.assertIn(f"\n   {verb} ", root_help)
        for ask in "-h", "help":
            self.assertEqual(self.help_text(ask), root_help)
        self.assertIn("\n   aks-node-controller provision\n", self.help_text("help", "provision"))
        self.assertIn("\n   aks-node-controller provision [options]\n", self.help_text("provision", "--help"))
        self.assert_run(["help", "nonexist"], 3, "",
                        "aks-node-controller: no command \"nonexist\"; 'aks-node-controller --help' lists them\n")

    def test_help_warns_of_what_changes_the_machine(self):
        for verb in "provision", "launch", "bootstrap":
            self.assertRegex(self.help_text(verb, "--help"), r"\nNOTES:\n   .*it changes this machine|\nNOTES:\n   It changes this machine")
        self.assertIn("aks-node-controller.log", self.help_text("provision-wait", "--help"))
        self.assertNotIn("NOTES", self.help_text("plan", "--help"))
        self.assertIn("SUNUP_ROOT", self.help_text("--help"))

    def test_a_dry_run_leaves_a_tree_as_it_is(self):
        tree = self.dir / "tree"
        (tree / "etc").mkdir(parents=True)
        (tree / "etc/hostname").write_text("node")
        config = pathlib.Path(os.environ["SUNUP_SOURCE_DIR"]) / "examples/node/config.json"
        for mode, code in ("native", 0), ("scripts", 1):  # the tree has no components.json, which the scripts' command needs
            before = sorted(tree.rglob("*"))
            run = self.run_program("provision", "--dry-run", "--mode", mode, "--root", tree, "--provision-config", config)
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertIn('"dryRun":true', run.stderr)
            self.assertEqual(sorted(tree.rglob("*")), before)

    def test_takes_flags_in_every_form(self):
        for args in (["--provision-config", self.config], [f"--provision-config={self.config}"],
                     ["-provision-config", self.config], ["extra", "--provision-config", self.config, "words"],
                     ["--provision-config", "/nonexistent", "--provision-config", self.config]):
            run = self.run_program("provision", "--mode=scripts", "--dry-run", *args)
            self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.run_program("--", "provision", "--mode=scripts", "--dry-run", "--provision-config",
                                          self.config).returncode, 0)

    def test_names_a_root_that_is_not_there(self):
        run = self.run_program("provision", "--root", "/nonexistent", "--provision-config", self.config)
        self.assertEqual((run.returncode, run.stdout, run.stderr),
                         (1, "", "root /nonexistent: no such file or directory\n"))

    def test_an_empty_root_is_not_this_machine(self):
        for verb in "provision", "plan":
            for args in ["--root", ""], ["--root="]:
                run = self.run_program(verb, *args, "--provision-config", self.config)
                self.assertEqual((run.returncode, run.stdout), (1, ""))
                self.assertIn("must name a directory", run.stderr)
        self.assertFalse(self.complete.exists())

    def test_takes_a_root_relative_to_where_it_is(self):
        self.script("echo ran")
        run = self.provision("--root", "root", "--mode=scripts", env=self.environment(SUNUP_ROOT=None))
        self.assertEqual(run.stdout, "ran\n")

    def test_dry_run_false_is_a_real_run(self):
        self.script("echo ran")
        self.assertEqual(self.provision("--dry-run=false").stdout, "ran\n")


if __name__ == "__main__":
    main()
