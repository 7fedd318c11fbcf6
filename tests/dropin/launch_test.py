"""launch, tested from outside, as boot starts it. Its limits and hotfix commands: src/controller/launch_test.cc."""
import fcntl
import socket

from harness import *


class Launch(NodeTest):
    def setUp(self):
        super().setUp()
        (self.root / "etc").mkdir()
        self.hostname = self.root / "etc/hostname"
        self.hostname.write_text(socket.gethostname() + "\n")
        self.node_config = self.containers / "aks-node-controller-config.json"
        self.node_config.write_text('{"version":"v1"}')

    def until_it_waits(self, child):
        """Has its own watch, and treats a stop request as an event."""
        def waits():
            proc = pathlib.Path(f"/proc/{child.pid}")
            try:
                watches = any(os.readlink(fd).endswith("inotify") for fd in (proc / "fd").iterdir())
            except FileNotFoundError:  # a descriptor that has just been closed
                return False
            blocked = re.search(r"^SigBlk:\s*(\w+)", (proc / "status").read_text(), re.MULTILINE)[1]
            return watches and int(blocked, 16) >> (signal.SIGTERM - 1) & 1
        until(waits)

    def test_provisions_with_the_config_at_its_place(self):
        self.script("echo ran")
        run = self.run_program("launch")
        self.assertEqual((run.returncode, run.stdout), (0, "ran\n"), run.stderr)

    def test_exits_with_the_code_of_the_provision(self):
        self.script("exit 7")
        self.assertEqual(self.run_program("launch").returncode, 7)
        self.assertEqual(self.read_result()["ExitCode"], "7")

    def test_takes_a_ready_made_command_too(self):
        (self.containers / "aks-node-controller-nbc-cmd.sh").write_text("echo nbc")
        run = self.run_program("launch")
        self.assertEqual((run.returncode, run.stdout), (0, "nbc\n"))
        self.assertIn("ProvisionConfig and NBCCmd both provided, comparing envs", run.messages)

    def test_without_a_config_there_is_nothing_to_do(self):
        self.node_config.unlink()
        run = self.run_program("launch")
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.assertFalse(self.complete.exists())
        self.assertEqual(self.events(), [])

    def test_features_reach_the_script(self):
        self.script('echo "$A|$B|$C|${D-unset}"')
        (self.containers / "enabled_features.sh").write_text("A=$(echo no code)\nB='as it is'\n#D=1\nC")
        self.assertEqual(self.run_program("launch").stdout, "$(echo no code)|'as it is'||unset\n")

    def test_waits_for_the_host_name(self):
        self.script("echo ran")
        self.hostname.unlink()
        child = self.start("launch")
        self.until_it_waits(child)
        self.hostname.write_text("another-name\n")
        self.hostname.with_name("hostname.new").write_text(socket.gethostname() + "\n")
        self.hostname.with_name("hostname.new").rename(self.hostname)
        self.assertEqual(self.finish(child).stdout, "ran\n")

    def needs_leases(self):
        """The program uses a lease to detect that a file is still being written. Some file systems (9p, NFS) have none: there every file
        counts as complete."""
        with self.node_config.open() as file:
            try:
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            except OSError as error:
                self.skipTest(f"no leases on the file system of {self.dir}: {error.strerror}")

    def test_waits_until_the_config_is_whole(self):
        self.needs_leases()
        self.script("echo ran")
        with self.node_config.open("w") as config:
            config.write('{"version"')
            config.flush()
            child = self.start("launch")
            self.until_it_waits(child)
            config.write(':"v1"}')
        run = self.finish(child)
        self.assertEqual((run.returncode, run.stdout), (0, "ran\n"), run.stderr)

    def test_a_config_that_is_broken_for_good_is_refused_at_once(self):
        self.node_config.write_text('{"version"')
        self.assertEqual(self.run_program("launch").returncode, 1)
        self.assertEqual(self.read_result()["ExitCode"], "240")

    def test_stopped_while_it_waits_it_leaves_a_result(self):
        self.hostname.unlink()
        child = self.start("launch")
        self.until_it_waits(child)
        child.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(child).returncode, -signal.SIGTERM)
        self.assertIn("stopped before it could provision (signal: terminated)", self.read_result()["Error"])
        self.assertTrue(self.complete.exists())

    def test_a_hotfix_provisions_in_its_place(self):
        hotfix = self.containers / "aks-node-controller-hotfix"
        hotfix.write_text('#!/bin/bash\necho "$@"; while read -r name value; do '
                          '[[ $name != Sig[BI][lg][kn]: ]] || echo $value; done < /proc/$$/status; exit 3\n')
        hotfix.chmod(0o755)
        run = self.run_program("launch")
        self.assertEqual(run.returncode, 3)
        words, blocked, ignored = run.stdout.splitlines()
        self.assertEqual(words, f"provision --provision-config={self.node_config}")
        self.assertEqual(int(blocked, 16), 0, "no signal stays blocked")
        self.assertEqual(int(ignored, 16) & (1 << (signal.SIGPIPE - 1)), 0)

    def test_a_hotfix_applies_its_scripts_before_it_provisions(self):
        hotfix = self.containers / "aks-node-controller-hotfix"
        for code in (0, 1):
            with self.subTest(code):
                hotfix.write_text(f'#!/bin/bash\necho "$1" >> {self.dir}/calls\n[ "$1" = provision ] || exit {code}\n')
                hotfix.chmod(0o755)
                (self.dir / "calls").unlink(missing_ok=True)
                run = self.run_program("launch")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual((self.dir / "calls").read_text(), "apply-embedded-hotfix\nprovision\n")
                self.assertEqual("continuing without the scripts of the hotfix" in run.messages, code == 1)

    def test_a_hotfix_that_launches_again_ends_in_a_provision(self):
        hotfix = self.containers / "aks-node-controller-hotfix"
        shutil.copy(PROGRAM, hotfix)
        self.script("echo ran")
        run = self.run_program("launch")
        self.assertEqual((run.returncode, run.stdout), (0, "ran\n"))
        self.assertEqual(run.messages.count("running the hotfix"), 1)

    def test_a_hotfix_that_cannot_be_started_is_no_reason_to_fail(self):
        hotfix = self.containers / "aks-node-controller-hotfix"
        hotfix.write_bytes(b"\x7fELF broken")
        hotfix.chmod(0o755)
        self.script("echo ran")
        run = self.run_program("launch")
        self.assertEqual((run.returncode, run.stdout), (0, "ran\n"))
        self.assertEqual(run.record("cannot start the hotfix, continuing without it")["error"], "exec format error")

    def test_many_at_once_are_one_provision(self):
        self.script(f"echo x >> {self.dir}/runs;" + self.WRITE_BOTH % 0)
        runs = [self.finish(child) for child in [self.start("launch") for _ in range(8)]]
        self.assertEqual({run.returncode for run in runs}, {0})
        self.assertEqual((self.dir / "runs").read_text(), "x\n")


if __name__ == "__main__":
    main()
