"""The files that the program writes: modes, and its behaviour if they cannot be written."""
import resource

from harness import *


class Files(NodeTest):
    def test_modes(self):
        self.script("exit 1")
        self.provision()
        for path, mode in ((self.log, 0o644), (self.result, 0o600), (self.complete, 0o600), (self.events_dir, 0o755),
                           (self.result.parent, 0o755), (self.log.parent, 0o755),
                           (next(self.events_dir.iterdir()), 0o644)):
            self.assertEqual(oct(mode_of(path)), oct(mode), path)

    def test_umask_counts(self):
        self.script("exit 1")
        self.run_program("provision", "--provision-config", self.config, umask=0o077)
        for path in self.log, next(self.events_dir.iterdir()):
            self.assertEqual(oct(mode_of(path)), oct(0o600), path)

    def test_local_time(self):
        self.script("exit 1")
        run = self.provision(env=self.environment(TZ="EST5"))
        for record in run.records:
            self.assertTrue(record["time"].endswith("-05:00"))
        stamp = self.events()[0]["Timestamp"]
        self.assertEqual(stamp[:10] + "T" + stamp[11:16], run.records[0]["time"][:16])

    def test_log_goes_to_the_current_directory_if_its_own_cannot_be_made(self):
        (self.root / "var").write_text("a file")
        self.assertEqual(self.run_program("version").stdout, VERSION + "\n")
        self.assertEqual((self.dir / "aks-node-controller.log").read_text(), "")

    def test_without_a_log_it_does_nothing(self):
        self.log.mkdir(parents=True)
        run = self.run_program("version")
        self.assertEqual((run.returncode, run.stdout, run.stderr),
                         (1, "failed to open log file: open /var/log/azure/aks-node-controller.log: is a directory\n", ""))

    def test_events_directory_cannot_be_made(self):
        self.events_dir.parent.parent.mkdir(parents=True)
        self.events_dir.parent.write_text("a file")
        self.script("exit 5")
        run = self.provision()
        self.assertEqual(run.returncode, 5)
        failed = [r for r in run.records if r["msg"] == "failed to create events logging directory"]
        self.assertEqual(len(failed), 2)
        self.assertEqual(failed[0]["level"], "ERROR")
        self.assertEqual(failed[0]["path"], "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events")
        self.assertIn("not a directory", failed[0]["error"])
        self.assertEqual(self.read_result()["ExitCode"], "5")

    def test_result_directory_is_a_file(self):
        self.result.parent.parent.mkdir(parents=True)
        self.result.parent.write_text("a file")
        self.config = "/nonexistent"
        run = self.provision()
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.record("failed to write provision.json file")["path"], "/var/log/azure/aks/provision.json")
        self.assertTrue(self.complete.exists())

    def test_containers_directory_is_made(self):
        shutil.rmtree(self.root / "opt")
        run = self.run_program("provision")
        self.assertEqual(run.returncode, 1)
        self.assertTrue(self.complete.exists())
        self.assertEqual(oct(mode_of(self.containers)), oct(0o755))

    def test_no_other_file_is_left_behind(self):
        self.script("exit 1")
        self.provision()
        self.provision()
        found = {str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file()}
        events = {p for p in found if "/events/" in p}
        self.assertEqual(len(events), 4)
        self.assertEqual(found - events, {
            "opt/azure/components.json", "opt/azure/containers/provision.complete",
            "opt/azure/containers/provision_start.sh", "opt/azure/containers/.provision.lock",
            "opt/azure/containers/.provision.run", "var/log/azure/aks-node-controller.log",
            "var/log/azure/cluster-provision-cse-output.log",
            "var/log/azure/aks/provision.json"})


class SlowPipe(NodeTest):
    def test_metadata_comes_from_a_slow_writer(self):
        pipe = self.dir / "metadata"
        os.mkfifo(pipe)
        (self.root / "etc").mkdir()
        (self.root / "etc/os-release").write_text("ID=ubuntu\nVERSION_ID=24.04\n")
        child = self.start("plan", "--root", self.root, "--metadata", pipe, "--provision-config", self.config)
        with open(pipe, "w", encoding="utf-8") as writer:
            writer.write('{"compute":')
            writer.flush()
            with self.assertRaises(subprocess.TimeoutExpired, msg="a slow writer is waited for"):
                child.wait(timeout=1.5)
            writer.write("{}}")
        run = self.finish(child)
        self.assertNotIn("--metadata", run.stderr)

    def test_config_whose_writer_never_ends_leaves_a_result(self):
        pipe = self.dir / "config"
        os.mkfifo(pipe)
        with open(pipe, "r+b", buffering=0) as writer:
            writer.write(b'{"version":')
            run = self.run_program("provision", "--provision-config", pipe)
        self.assert_failed_fast(run, f"open provision file {pipe}: read {pipe}: its writer did not close it within 15 s")

    def test_command_file_that_is_a_pipe_is_refused_at_once(self):
        pipe = self.dir / "command"
        os.mkfifo(pipe)
        run = self.run_program("provision", "--nbc-cmd", pipe)
        self.assert_failed_fast(run, f"NBC command file {pipe} must be a regular file")


class NoWorkingDirectory(NodeTest):
    """The working directory of the program has been removed: relative paths do not exist."""
    SAID = "file.json: the working directory: No such file or directory"

    def run_nowhere(self, program, *args):
        (self.dir / "gone").mkdir()
        done = subprocess.run(["/bin/sh", "-c", 'cd gone && rmdir ../gone && exec "$@"', "sh", program, *map(str, args)],
                              env=self.environment(SUNUP_ROOT=None), cwd=self.dir, capture_output=True)
        return Run(done.returncode, done.stdout, done.stderr)

    def test_provision_leaves_a_result(self):
        run = self.run_nowhere(PROGRAM, "provision", "--root", self.root, "--metadata", "file.json", "--provision-config", self.config)
        self.assert_failed_fast(run, "--metadata: " + self.SAID)

    def test_a_command_file_is_not_there(self):
        run = self.run_nowhere(PROGRAM, "provision", "--root", self.root, "--nbc-cmd", "nbc.sh")
        self.assert_failed_fast(run, "read NBC command file nbc.sh: stat nbc.sh: no such file or directory")

    def test_plan_says_so(self):
        run = self.run_nowhere(PROGRAM, "plan", "--root", self.root, "--metadata", "file.json", "--provision-config", self.config)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (1, "", f"--metadata: {self.SAID}\n"))

    def test_timeline_says_so(self):
        for path in "runs", "run.json":
            run = self.run_nowhere(SUNUP, "timeline", "diff", path, path)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertRegex(run.stderr, rf"^sunup timeline: .*the working directory is gone.*{path}: No such file or directory\n$")


class FileSizeLimit(NodeTest):
    def test_what_cannot_be_written_ends_nobody(self):
        """The log has reached the maximum file size, and the result must still be written."""
        self.log.parent.mkdir(parents=True)
        self.log.write_bytes(b"\n" * 8192)
        self.script("grep -E '^Sig(Ign|Blk)' /proc/self/status; exit 9")
        run = self.run_program("provision", "--provision-config", self.config,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
        self.assertEqual(run.returncode, 9, run.stderr)
        self.assertEqual(self.read_result()["ExitCode"], "9")
        self.assertEqual(self.log.stat().st_size, 8192)
        blocked, ignored = (int(line.split()[1], 16) for line in run.stdout.splitlines())
        self.assertEqual((blocked, ignored >> (signal.SIGXFSZ - 1) & 1), (0, 0), "the script is started as from a shell")


class FullDisk(NodeTest):
    def run_with_small(self, directory, command):
        """Runs the program with a file system of one page on the directory, if this machine allows it."""
        done = subprocess.run(self.on_small_disk(directory, "size=4k,nr_inodes=8", command),
                              env=self.environment(), cwd=self.dir, capture_output=True)
        if done.returncode == 77:
            self.skipTest("this machine does not let us change a mount: " + done.stderr.decode(errors="replace").strip())
        return Run(done.returncode, done.stdout, done.stderr)

    def test_verdict_is_left_without_the_output_that_does_not_fit(self):
        self.script("head -c 20000 /dev/zero | tr '\\0' x; exit 9")
        run = self.run_with_small(self.result.parent,
                                  f"{PROGRAM} provision --provision-config {self.config} > /dev/null; echo $?; cat {self.result}")
        self.assertEqual(run.stdout, '9\n{"ExitCode":"9","Error":"exit status 9","Output":"(omitted: the disk is full)"}')
        self.assertTrue(self.complete.exists())

    def test_marker_is_tried_although_the_result_could_not_be_written(self):
        self.script("exit 9")
        run = self.run_with_small(self.result.parent, f"head -c 4096 /dev/zero > {self.result.parent}/filler; "
                                  f"{PROGRAM} provision --provision-config {self.config}")
        self.assertEqual(run.returncode, 9)
        self.assertIn("No space left on device", run.record("failed to write provision.json file")["error"])
        self.assertTrue(self.complete.exists())

    def run_without_log(self, command):
        logs = self.result.parent.parent
        return self.run_with_small(logs, f'mount -o remount,ro "{logs}" || exit 77; {PROGRAM} {command}; echo $?')

    def test_marker_is_tried_although_not_even_the_log_can_be_written(self):
        self.script("exit 9")
        shutil.copy(self.config, self.containers / "aks-node-controller-config.json")
        said = "failed to open log file: open /var/log/azure/aks-node-controller.log: read-only file system\n"
        for command in f'provision --provision-config "{self.config}"', "launch":
            with self.subTest(command):
                self.complete.unlink(missing_ok=True)
                run = self.run_without_log(command)
                self.assertEqual(run.stdout, said + "1\n")
                self.assertEqual(run.record("aks-node-controller failed")["error"], said.strip())
                self.assertTrue(self.complete.exists())

    def test_a_dry_run_without_a_log_leaves_no_result(self):
        self.script("exit 9")
        run = self.run_without_log(f'provision --dry-run --provision-config "{self.config}"')
        self.assertEqual(run.stdout.splitlines()[-1], "1")
        self.assertFalse(self.complete.exists())


if __name__ == "__main__":
    main()
