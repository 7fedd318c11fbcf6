#!/usr/bin/env python3
"""provision --nbc-cmd, tested from outside: the built-in steps provision a command that is understood; any other is refused or
left to the script, and no secret of the command is leaked in either case."""
import sys

sys.path.insert(0, __import__("os").environ["SUNUP_SOURCE_DIR"] + "/tests/dropin")
import command  # noqa: E402
from harness import *  # noqa: E402,F403
from native_secrets_test import NativeTree  # noqa: E402
from secrets_test import needles  # noqa: E402


class Commands(NativeTree):
    def setUp(self):
        super().setUp()
        config = json.loads(self.config.read_text())
        config.setdefault("kubelet_config", {}).update(kubelet_flags={"--max-pods": "30"},
                                                       kubelet_node_labels={"agentpool": "pool1"})
        config["message_of_the_day"] = base64.b64encode(b"hello\n").decode()
        self.command = self.dir / "command.sh"
        self.text = command.command_for(SUNUP, json.dumps(config).encode())
        self.assertIsNotNone(self.text)
        self.command.write_text(self.text)

    def run_command(self, *args, **options):
        return self.run_program("provision", "--nbc-cmd", self.command, "--root", self.root, *args, **options)

    def assert_clean(self, run):
        places = {"stdout": run.stdout, "stderr": run.stderr}
        for path in self.root.rglob("*"):
            if path.is_file() and not path.is_symlink():
                shown = "/" + str(path.relative_to(self.root))
                if shown.startswith("/var/log/") or mode_of(path) & 0o077:
                    places[shown] = path.read_text(errors="replace")
        for place, text in places.items():
            for needle in needles():
                self.assertNotIn(needle, text, f"in {place}")

    def change(self, old, new):
        self.assertIn(old, self.text)
        self.text = self.text.replace(old, new, 1)
        self.command.write_text(self.text)

    def test_a_command_is_provisioned_without_running_it(self):
        run = self.run_command("--mode", "native")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("the command is provisioned by the built-in steps", run.messages)
        defaults = (self.root / "etc/default/kubelet").read_text()
        self.assertIn("--max-pods=30", defaults)
        self.assertIn("agentpool=pool1", defaults)
        self.assertEqual(self.read_result()["ExitCode"], "0")
        self.assert_clean(run)

    def test_auto_takes_the_built_in_steps_for_a_tree(self):
        run = self.run_command()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("the command is provisioned by the built-in steps", run.messages)
        again = self.run_command()
        self.assertIn("this node is provisioned already", again.messages)

    def test_native_refuses_what_it_does_not_understand(self):
        self.change("ADMINUSER=", f"NEW_THING=$(touch {self.dir}/ran) ADMINUSER=")
        run = self.run_command("--mode", "native")
        self.assertEqual(run.returncode, 1)
        column = self.text.index("$(touch") + 1
        self.assertIn(f"column {column}: an expansion (`$`) in NEW_THING", self.read_result()["Error"])
        self.assertFalse((self.dir / "ran").exists(), "nothing of the file is run")
        self.assert_clean(run)

    def test_auto_runs_the_script_of_what_it_does_not_understand_and_says_why(self):
        (self.containers / "enabled_features.sh").write_text("NATIVE_PROVISIONING=true\n")
        script = self.script(self.WRITE_BOTH % "0" + 'echo "got $NEW_THING $LOCATION"')
        self.change(" " + command.END, ' NEW_THING="on" ' + command.END)
        self.change("/opt/azure/containers/provision_start.sh", str(script))
        self.change("/var/log/azure/cluster-provision-cse-output.log", str(self.dir / "cse.log"))
        run = self.run_program("provision", "--nbc-cmd", self.command)
        self.assertEqual(run.returncode, 0, run.stderr)
        record = run.record("the built-in steps do not understand the command: its script is run")
        self.assertRegex(record["reason"], r"column \d+: ")
        self.assertIn("got on", run.stdout + run.stderr)
        self.assertRegex(self.read_result()["NativeRefusal"], r"column \d+: ")
        self.assertEqual(self.read_result()["ExitCode"], "0")

    def test_files_that_are_no_commands(self):
        os.mkfifo(self.dir / "fifo")
        with open(self.dir / "huge", "wb") as huge:
            huge.truncate(100 << 30)
        for name, path in (("fifo", self.dir / "fifo"), ("huge", self.dir / "huge"), ("device", "/dev/zero")):
            with self.subTest(name):
                for place in (self.result, self.complete):
                    place.unlink(missing_ok=True)
                run = self.run_program("provision", "--nbc-cmd", path, "--root", self.root)
                self.assertEqual(run.returncode, 1)
                self.assertIn(str(path), self.read_result()["Error"])
                self.assertTrue(self.complete.exists())

    def test_a_plan_names_the_variables(self):
        for flag in ("--nbc-cmd", "--provision-config"):
            run = self.run_program("plan", flag, self.command, "--root", self.root)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("/etc/default/kubelet  from the command's KUBELET_", run.stdout)
            self.assertIn("/etc/sysctl.d/999-sysctl-aks.conf  from the command's SYSCTL_CONTENT", run.stdout)
            self.assert_clean(run)

    def test_a_refusal_names_the_variable(self):
        sysctl = base64.b64encode(b"net.ipv4.ip_local_port_range=9 1\n").decode()
        start = self.text.index('SYSCTL_CONTENT="') + len('SYSCTL_CONTENT="')
        self.change(self.text[start:self.text.index('"', start)], sysctl)
        run = self.run_command("--mode", "native")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("(from the command's SYSCTL_CONTENT)", self.read_result()["Error"])

    def test_sunup_takes_a_command_for_a_config(self):
        def sunup(*args):
            return subprocess.run([SUNUP, *map(str, args)], capture_output=True, text=True)
        printed = sunup("config", "from-nbc", self.command)
        self.assertEqual(printed.returncode, 0, printed.stderr)
        derived = self.write_config(printed.stdout, "derived.json")
        self.assertEqual(sunup("config", "diff", self.command, derived).returncode, 0)
        check = sunup("config", "check", self.command)
        self.assertIn(check.returncode, (0, 1), check.stderr)
        self.assertRegex(check.stdout, r"command\.sh:1:\d+: ")
        explained = sunup("config", "explain", "kubelet_config.kubelet_node_labels", "--command", self.command)
        self.assertEqual(explained.returncode, 0, explained.stderr)
        refused = sunup("render", "env", "--config", self.command)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("from-nbc", refused.stderr)
        self.change("ADMINUSER=", "ADMINUSER=a b=")
        self.assertRegex(sunup("config", "check", self.command).stdout, r"sh:1:(\d+): error: .*column \1: .*\[refused\]")


del NativeTree

if __name__ == "__main__":
    main()
