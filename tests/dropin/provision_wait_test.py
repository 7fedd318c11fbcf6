"""provision-wait: its output and exit code for every kind of result, and that it never misses one."""
import time

from harness import *
from harness import _libc

CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000
IN_ACCESS = 0x1

RESULT = "/var/log/azure/aks/provision.json"


class Result(NodeTest):
    def assert_verdict(self, text, returncode, error=None):
        self.leave_result(text)
        run = self.run_program("provision-wait")
        raw = text if isinstance(text, bytes) else text.encode()
        self.assertEqual(run.raw_stdout, raw + b"\n")
        self.assertEqual(run.returncode, returncode)
        self.assertEqual(run.messages[0], "aks-node-controller started")
        self.assertEqual(run.records[0]["task"], "ProvisionWait")
        self.assertEqual(run.messages[-1], "provision-wait finished")
        self.assertEqual(run.records[-1]["provisionOutput"], raw.decode("utf-8", "replace"))
        if error is None:
            self.assertEqual(run.messages[1], "aks-node-controller finished successfully.")
            self.assertEqual(self.event_messages()[-1], ("ProvisionWait", "Informational", "Completed"))
        else:
            self.assertEqual(run.record("aks-node-controller failed")["error"], error)
            self.assertEqual(self.event_messages()[-1],
                             ("ProvisionWait", "Error", f"aks-node-controller exited with error {error}"))
        self.assertEqual(self.event_messages()[-2], ("ProvisionWait", "Informational", "Starting"))

    def test_success(self):
        for text in ('{"ExitCode":"0","Output":"x"}', '{"ExitCode":"+0"}', '{"ExitCode":"-0"}', '{"ExitCode":"00"}',
                     '{"exitcode":"0"}', '{"ExitCode":"1","ExitCode":"0"}', '{"ExitCode":"0"}\n'):
            with self.subTest(text):
                self.assert_verdict(text, 0)

    def test_failure(self):
        parse = "parse provision.json: "
        for text, error in (
            ('{"ExitCode":"99","Output":"line1\\nline2 \\"q\\" <tag> é","Error":"some error"}',
             'provision failed: exitCode=99 error=some error output="line1\\nline2 \\"q\\" <tag> é"'),
            ('{"ExitCode":"-1"}', 'provision failed: exitCode=-1 error= output=""'),
            ('{"ExitCode":"0","EXITCODE":"5"}', 'provision failed: exitCode=5 error= output=""'),
            ('{"ExitCode":"2","Output":"\\u0001\\t\\u007f\\u2028é"}',
             'provision failed: exitCode=2 error= output="\\x01\\t\\x7f\\u2028é"'),
            ("not-json", parse + "invalid character 'o' in literal null (expecting 'u')"),
            ("", parse + "unexpected end of JSON input"),
            ('{"ExitCode":"0', parse + "unexpected end of JSON input"),
            ('{"ExitCode":"0"}x', parse + "invalid character 'x' after top-level value"),
            ('\ufeff{"ExitCode":"0"}', parse + "invalid character 'ï' looking for beginning of value"),
            ("{}", "missing ExitCode in provision.json"),
            ("null", "missing ExitCode in provision.json"),
            ('{"ExitCode":""}', "missing ExitCode in provision.json"),
            ('{"ExitCode":null}', "missing ExitCode in provision.json"),
            ('{"ExitCode":0}', parse + "json: cannot unmarshal number into Go struct field ProvisionResult.ExitCode of "
             "type string"),
            ('{"ExitCode":"0","Output":{}}', parse + "json: cannot unmarshal object into Go struct field "
             "ProvisionResult.Output of type string"),
            ("[]", parse + "json: cannot unmarshal array into Go value of type main.ProvisionResult"),
            ('{"ExitCode":"abc"}', "invalid ExitCode in provision.json: abc"),
            ('{"ExitCode":" 0"}', "invalid ExitCode in provision.json:  0"),
            ('{"ExitCode":"1e0"}', "invalid ExitCode in provision.json: 1e0"),
            ('{"ExitCode":"12345678901234567890"}', "invalid ExitCode in provision.json: 12345678901234567890"),
        ):
            with self.subTest(text):
                self.assert_verdict(text, 1, error)

    def test_bytes_that_are_not_text_are_printed_as_they_are(self):
        self.assert_verdict(b'{"ExitCode":"0","Output":"\xff"}', 0)

    def test_missing(self):
        self.complete.touch()
        run = self.run_program("provision-wait", "extra", "words")
        self.assertEqual((run.returncode, run.stdout), (1, "\n"))
        self.assertEqual(run.record("aks-node-controller failed")["error"],
                         f"failed to read provision.json: open {RESULT}: no such file or directory. One reason could be "
                         "that AKSNodeConfig is not properly set")

    def test_pipe(self):
        self.leave_result("")
        self.result.unlink()
        os.mkfifo(self.result)
        run = self.run_program("provision-wait")
        self.assertEqual((run.returncode, run.stdout), (1, "\n"))

    def test_directory(self):
        self.complete.touch()
        self.result.mkdir(parents=True)
        run = self.run_program("provision-wait")
        self.assertEqual((run.returncode, run.stdout), (1, "\n"))
        self.assertEqual(run.record("aks-node-controller failed")["error"],
                         f"failed to read provision.json: read {RESULT}: is a directory. One reason could be that "
                         "AKSNodeConfig is not properly set")


class WaitingTest(NodeTest):
    def watched(self, child):
        """Inode and device of every directory that the process watches."""
        found = []
        for fd in os.listdir(f"/proc/{child.pid}/fdinfo"):
            with contextlib.suppress(FileNotFoundError):
                info = pathlib.Path(f"/proc/{child.pid}/fdinfo/{fd}").read_text()
                found += re.findall(r"inotify wd:\S+ (ino:\S+ sdev:\S+)", info)
        return found

    def watches(self, child):
        return len(self.watched(child))

    def until_watching(self, child, way=None, result=False):
        """A watch on every directory on the path to the marker and, optionally, on the path to the result. The program checks once more
        after that, so it cannot miss a change."""
        more = sum(path.exists() for path in self.result.parents) if result else 0
        until(lambda: child.poll() is not None or self.watches(child) >= len((way or self.complete).parents) + more)
        self.assertIsNone(child.poll(), "it must still be waiting")


class Waiting(WaitingTest):
    def start_waiting(self, *args):
        child = self.start("provision-wait", *args)
        self.until_watching(child, result=True)
        return child

    TORN = '{"ExitCode":"0"'  # ignored without the marker, and an error with it

    def assert_woken(self, child):
        run = self.finish(child)
        self.assertEqual((run.returncode, run.stdout), (1, self.TORN + "\n"), run.stderr)

    def setUp(self):
        super().setUp()
        self.leave_result(self.TORN, complete=False)

    def test_marker_was_there_before(self):
        self.complete.touch()
        self.assertEqual(self.run_program("provision-wait").stdout, self.TORN + "\n")

    def test_marker_is_touched(self):
        child = self.start_waiting()
        self.complete.touch()
        self.assert_woken(child)

    def test_marker_is_renamed_into_place(self):
        child = self.start_waiting()
        (self.containers / "new").touch()
        os.rename(self.containers / "new", self.complete)
        self.assert_woken(child)

    def test_marker_is_renamed_from_elsewhere(self):
        (self.root / "new").touch()
        child = self.start_waiting()
        os.rename(self.root / "new", self.complete)
        self.assert_woken(child)

    def test_marker_is_a_link(self):
        for target in "/", "/nowhere":
            child = self.start_waiting()
            os.symlink(target, self.complete)
            self.assert_woken(child)
            self.assertEqual(self.run_program("provision-wait").stdout, self.TORN + "\n", "and counts later, too")
            self.complete.unlink()

    def test_marker_is_a_hard_link(self):
        (self.root / "other").touch()
        child = self.start_waiting()
        os.link(self.root / "other", self.complete)
        self.assert_woken(child)

    def test_marker_is_a_directory(self):
        child = self.start_waiting()
        self.complete.mkdir()
        self.assert_woken(child)

    def test_other_files_do_not_count(self):
        child = self.start_waiting()
        (self.containers / "provision.complete.tmp").touch()
        (self.containers / "provision.complet").touch()
        self.until_watching(child)
        self.complete.touch()
        self.assert_woken(child)

    def test_directory_is_made(self):
        shutil.rmtree(self.root / "opt")
        child = self.start_waiting()
        self.assertTrue(self.containers.is_dir())
        self.complete.touch()
        self.assert_woken(child)

    def test_says_that_the_directory_cannot_be_made(self):
        self.containers.rmdir()
        self.containers.touch()
        run = self.run_program("provision-wait", "--timeout=10ms")
        self.assertEqual((run.returncode, run.stdout), (1, "\n"))
        said = [record for record in run.records if record["level"] == "WARN"]
        self.assertEqual([(record["path"], record["error"]) for record in said],
                         [("/opt/azure/containers", "not a directory")])

    def test_directory_is_removed_and_made_again(self):
        child = self.start_waiting()
        before = self.watches(child)
        self.containers.rmdir()
        until(lambda: self.watches(child) < before)
        self.containers.mkdir()
        until(lambda: self.watches(child) >= before)
        self.complete.touch()
        self.assert_woken(child)

    def test_directory_is_replaced_by_one_that_has_the_marker(self):
        child = self.start_waiting()
        ready = self.root / "ready"
        ready.mkdir()
        (ready / "provision.complete").touch()
        self.containers.rmdir()
        os.rename(ready, self.containers)
        self.assert_woken(child)

    def test_directories_above_are_removed_and_made_again(self):
        child = self.start_waiting()
        before = self.watches(child)
        shutil.rmtree(self.root / "opt")
        until(lambda: self.watches(child) < before)
        self.containers.mkdir(parents=True)
        self.complete.touch()
        self.assert_woken(child)

    def test_directory_far_above_is_a_link_whose_target_comes_late(self):
        for target in "var/opt", "/var/opt":
            with self.subTest(target):
                shutil.rmtree(self.root / "opt", ignore_errors=True)
                os.symlink(target, self.root / "opt")
                child = self.start("provision-wait")
                self.until_watching(child, self.root / "opt")
                containers = self.root / "var/opt/azure/containers"
                containers.mkdir(parents=True)
                self.until_watching(child, containers / "provision.complete")
                (containers / "provision.complete").touch()
                self.assert_woken(child)
                (self.root / "opt").unlink()
                shutil.rmtree(self.root / "var/opt")

    def test_target_of_a_link_is_removed_and_made_again(self):
        self.containers.rmdir()
        target = self.root / "elsewhere"
        target.mkdir()
        os.symlink("../../elsewhere", self.containers)
        child = self.start_waiting()
        before = self.watches(child)
        target.rmdir()
        until(lambda: self.watches(child) < before)
        target.mkdir()
        until(lambda: self.watches(child) >= before)
        self.complete.touch()
        self.assert_woken(child)

    def start_waiting_with_own_mounts(self):
        """In a separate mount namespace, if this machine allows one."""
        def leave():
            if _libc.unshare(CLONE_NEWNS) != 0 or _libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0:
                raise OSError(ctypes.get_errno(), "unshare")
        try:
            child = self.start("provision-wait", preexec_fn=leave)
        except subprocess.SubprocessError:
            self.skipTest("this machine gives us no mount namespace")
        self.until_watching(child, result=True)
        return child

    def with_its_mounts(self, child, script):
        subprocess.run(["nsenter", "--mount", f"--target={child.pid}", "sh", "-ec", script], check=True)

    def test_directory_is_mounted_over(self):
        for directory in self.containers, self.containers.parent:
            with self.subTest(directory):
                child = self.start_waiting_with_own_mounts()
                before = self.watched(child)
                self.with_its_mounts(child, f'mount -t tmpfs none "{directory}"; mkdir -p "{self.containers}"')
                until(lambda: self.watched(child) != before and self.watches(child) == len(before))
                self.with_its_mounts(child, f'touch "{self.complete}"')
                self.assert_woken(child)

    def test_result_follows_the_marker_is_an_error(self):
        self.result.unlink()
        child = self.start_waiting()
        self.complete.touch()
        self.assertEqual(self.finish(child).returncode, 1)

    def test_gives_up_at_the_timeout(self):
        run = self.run_program("provision-wait", "--timeout=10ms")
        self.assertEqual((run.returncode, run.stdout), (1, "\n"))
        self.assertIn("/opt/azure/containers/provision.complete", run.record("aks-node-controller failed")["error"])
        self.assertIn("10ms", run.record("aks-node-controller failed")["error"])

    def test_says_at_the_timeout_whether_anything_is_going_on(self):
        os.mkfifo(self.dir / "go")
        self.script(f"echo up; read x < {self.dir}/go")
        self.assertIn("nothing is provisioning this node", self.run_program("provision-wait", "--timeout=1ms").stderr)
        child = self.start("provision", "--provision-config", self.config)
        child.stdout.readline()
        self.assertIn(f"process {child.pid} is provisioning", self.run_program("provision-wait", "--timeout=1ms").stderr)
        (self.dir / "go").write_text("\n")
        child.communicate()
        self.forget_result()
        self.assertIn("nothing is provisioning this node", self.run_program("provision-wait", "--timeout=1ms").stderr)

    def test_timeout_does_not_hide_a_result_that_is_there(self):
        self.complete.touch()
        self.assertEqual(self.run_program("provision-wait", "--timeout=0").stdout, self.TORN + "\n")

    def test_ends_by_a_signal_without_a_word(self):
        child = self.start_waiting()
        child.send_signal(signal.SIGTERM)
        run = self.finish(child)
        self.assertEqual((run.returncode, run.stdout), (-signal.SIGTERM, ""))
        self.assertEqual(run.messages, ["aks-node-controller started"])

    def test_prints_before_anything_else_and_needs_no_events(self):
        shutil.rmtree(self.root / "var/log")
        (self.root / "var/log").write_text("not a directory")
        self.complete.touch()
        run = self.run_program("provision-wait")
        self.assertEqual((run.returncode, run.stdout), (1, "\n"))


class ResultWithoutMarker(WaitingTest):
    """Scripts may stop writing the marker: a readable result is sufficient, if no process is about to replace it."""
    GOOD = '{"ExitCode":"0","Output":"whole"}'

    def start_waiting(self):
        child = self.start("provision-wait")
        self.until_watching(child)
        return child

    def assert_ended(self, child, code=0, text=GOOD):
        run = self.finish(child)
        self.assertEqual((run.returncode, run.stdout), (code, text + "\n"), run.stderr)

    def rename_into_place(self, text):
        (self.result.parent / "new").write_text(text)
        os.rename(self.result.parent / "new", self.result)

    def test_was_there_before(self):
        for text, code in ((self.GOOD, 0), ('{"ExitCode":"99"}', 1)):
            self.leave_result(text, complete=False)
            self.assert_ended(self.start("provision-wait"), code, text)

    def test_is_renamed_into_place(self):
        self.result.parent.mkdir(parents=True)
        child = self.start_waiting()
        self.rename_into_place(self.GOOD)
        self.assert_ended(child)

    def test_its_directories_come_late(self):
        child = self.start_waiting()
        self.leave_result(self.GOOD, complete=False)
        self.assert_ended(child)

    def test_is_read_when_its_writer_is_done(self):
        self.result.parent.mkdir(parents=True)
        child = self.start_waiting()
        with open(self.result, "w", encoding="utf-8") as file:
            file.write(self.GOOD[:9])
            file.flush()
            file.write(self.GOOD[9:])
        self.assert_ended(child)

    def test_replaces_a_torn_one(self):
        self.leave_result(self.GOOD[:9], complete=False)
        child = self.start_waiting()
        self.rename_into_place(self.GOOD[:12])
        self.rename_into_place(self.GOOD)
        self.assert_ended(child)

    def test_does_not_count_while_somebody_provisions(self):
        os.mkfifo(self.dir / "go")
        self.script(f"mkdir -p $(dirname $RESULT); echo '{self.GOOD}' > $RESULT; echo up; read x < {self.dir}/go; exit 9")
        provision = self.start("provision", "--provision-config", self.config)
        provision.stdout.readline()
        child = self.start_waiting()
        (self.dir / "go").write_text("\n")
        run = self.finish(child)
        self.assertEqual(json.loads(run.stdout)["ExitCode"], "9", run.stderr)
        self.assertEqual(run.returncode, 1)
        provision.communicate()

    def test_does_not_count_while_the_script_of_a_killed_controller_runs(self):
        """The script's first result is a success, its last one is not."""
        os.mkfifo(self.dir / "go")
        self.script(f"mkdir -p $(dirname $RESULT); echo '{self.GOOD}' > $RESULT; echo up; read x < {self.dir}/go; "
                    "echo '{\"ExitCode\":\"9\"}' > $RESULT")
        provision = self.start("provision", "--provision-config", self.config)
        provision.stdout.readline()
        provision.kill()
        provision.wait()
        child = self.start_waiting()
        (self.dir / "go").write_text("\n")
        run = self.finish(child)
        self.assertEqual(json.loads(run.stdout)["ExitCode"], "9", run.stderr)
        self.assertEqual(run.returncode, 1)
        provision.stdout.close()
        provision.stderr.close()

    def test_of_the_image_does_not_count(self):
        """The image was prepared in another boot: its result exists, but is not about this node."""
        record = '{"boot":"another","ended":"1","exit":"0","code":"","error":"","base":"true"}'
        (self.containers / ".provision.run").write_text(record)
        (self.containers / "base_prep.complete").touch()
        for complete in (False, True):
            with self.subTest(marker=complete):
                self.leave_result('{"ExitCode":"0","Output":"image"}', complete=complete)
                self.assertIn("nothing is provisioning", self.run_program("provision-wait", "--timeout=10ms").stderr)
        self.complete.unlink()
        child = self.start_waiting()
        self.script(self.WRITE_BOTH % 0)
        self.assertEqual(self.provision().returncode, 0)
        self.assertEqual(json.loads(self.finish(child).stdout)["Output"], "by script")
        self.assertTrue(self.complete.exists())


class LateSecrets(WaitingTest):
    """There are milliseconds between the marker and the output: data that was read before is not read again, unless it has
    changed."""
    FILES = {"aks-node-controller-config.json":
                 '{"version":"v1","bootstrapping_config":{"tls_bootstrapping_token":"planted.%s"}}',
             "aks-node-controller-nbc-cmd.sh": 'TLS_BOOTSTRAP_TOKEN="planted.%s"\n'}

    def setUp(self):
        super().setUp()
        self.result.parent.mkdir(parents=True)

    def start_waiting(self):
        until(lambda: all(self.any_change_shows(path.stat().st_ctime_ns) for path in self.containers.iterdir()))
        child = self.start("provision-wait")
        self.until_watching(child)
        return child

    @staticmethod
    def any_change_shows(written):
        """Longer ago than the resolution of file times; some file systems use seconds."""
        return time.time_ns() - written > (20e6 if written % 1e9 else 2.1e9)

    def output(self, child):
        (self.result.parent / "new").write_text('{"ExitCode":"0","Output":"planted.first-token planted.other-token"}')
        os.rename(self.result.parent / "new", self.result)
        self.complete.touch()
        return json.loads(self.finish(child).stdout)["Output"]

    def test_what_is_as_it_was_is_not_read_again(self):
        for name, text in self.FILES.items():
            (self.containers / name).write_text(text % "first-token")
        child = self.start_waiting()
        inotify = _libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(inotify, "rb", buffering=0) as reads:
            for name in self.FILES:
                self.assertGreater(_libc.inotify_add_watch(inotify, os.fsencode(self.containers / name), IN_ACCESS), 0)
            self.assertEqual(self.output(child), "[redacted] planted.other-token")
            self.assertIsNone(reads.read(65536), "nothing was read")

    def test_what_comes_late_is_read(self):
        for name, text in self.FILES.items():
            with self.subTest(name):
                child = self.start_waiting()
                (self.containers / name).write_text(text % "first-token")
                self.assertEqual(self.output(child), "[redacted] planted.other-token")
                (self.containers / name).unlink()
                self.complete.unlink()
                self.result.unlink()

    def test_what_is_replaced_is_read(self):
        for name, text in self.FILES.items():
            with self.subTest(name):
                (self.containers / name).write_text(text % "first-token")
                child = self.start_waiting()
                (self.containers / "new").write_text(text % "other-token")
                os.rename(self.containers / "new", self.containers / name)
                self.assertEqual(self.output(child), "[redacted] [redacted]")
                (self.containers / name).unlink()
                self.complete.unlink()
                self.result.unlink()

    def test_what_is_written_in_place_is_read_though_size_and_time_are_the_same(self):
        for name, text in self.FILES.items():
            with self.subTest(name):
                path = self.containers / name
                path.write_text(text % "first-token")
                before = path.stat()
                child = self.start_waiting()
                path.write_text(text % "other-token")
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
                self.assertEqual(self.output(child), "[redacted] [redacted]")
                path.unlink()
                self.complete.unlink()
                self.result.unlink()


if __name__ == "__main__":
    main()
