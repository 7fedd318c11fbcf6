"""Only one provisioning run at a time, for any number of triggers and any outcome of the first run."""
import errno
import select
import unittest

from harness import *

WAITING = "another provision is running, waiting for its result"


class SingleFlightTest(NodeTest):
    def setUp(self):
        super().setUp()
        os.mkfifo(self.dir / "go")
        self.runs = self.dir / "runs"

    def gated_script(self, end):
        """Records that it runs, waits for a signal, and ends as configured."""
        self.script(f"echo $$ >> {self.runs}; read x < {self.dir}/go; {end}")

    def trigger(self):
        return self.start("provision", "--provision-config", self.config)

    def until_running(self):
        """The script has begun. Its process ID was recorded before."""
        return int(self.until_file(lambda: self.runs.read_text().endswith("\n") and self.runs.read_text().splitlines()[-1]))

    def until_logged(self, message, times=1):
        self.until_file(lambda: self.log_text().count(f'"msg":"{message}"') >= times)

    def let_go(self):
        (self.dir / "go").write_text("\n")

    def run_count(self):
        return len(self.runs.read_text().splitlines())


class SingleFlight(SingleFlightTest):
    def test_twenty_triggers_run_once_and_all_return_its_result(self):
        for end, code in (self.WRITE_BOTH % 0, 0), ("echo bad >&2; exit 7", 7):
            with self.subTest(code):
                for path in self.runs, self.log, self.complete, self.result:
                    path.unlink(missing_ok=True)
                self.gated_script(end)
                triggers = [self.trigger() for _ in range(20)]
                self.until_logged(WAITING, 19)
                self.let_go()
                runs = [self.finish(trigger) for trigger in triggers]
                self.assertEqual([run.returncode for run in runs], [code] * 20)
                self.assertEqual(self.run_count(), 1)
                errors = {r["error"] for run in runs for r in run.records if r["msg"] == "aks-node-controller failed"}
                self.assertEqual(errors, {f"exit status {code}"} if code else set())

    def test_a_fail_fast_error_is_shared_too(self):
        self.gated_script("true")
        first = self.trigger()
        self.until_running()
        self.config = "/nonexistent"
        second = self.trigger()
        self.until_logged(WAITING)
        self.let_go()
        self.assertEqual(self.finish(first).returncode, 0)
        self.assertEqual(self.finish(second).returncode, 0, "the second never looked at its own config")

    def test_after_success_the_result_is_returned_at_once(self):
        self.script(f"echo $$ >> {self.runs};" + self.WRITE_BOTH % 0)
        self.assertEqual(self.provision().returncode, 0)
        before = self.result.read_text()
        run = self.provision()
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.assertIn("this node is provisioned already", run.messages)
        self.assertEqual(run.messages[-1], "aks-node-controller finished successfully.")
        self.assertEqual(self.run_count(), 1)
        self.assertEqual(self.result.read_text(), before)

    def test_after_failure_it_runs_again_without_the_old_result(self):
        # The image's script treats a marker as "nothing to do": with the old one in place it would report success.
        self.script(f"echo $$ >> {self.runs}; ls $CONTAINERS/provision.complete $RESULT 2>/dev/null && echo stale; "
                    f'[ $(wc -l < {self.runs}) -gt 1 ] || exit 5;' + self.WRITE_BOTH % 0)
        self.assertEqual(self.provision().returncode, 5)
        self.assertEqual(self.read_result()["ExitCode"], "5")
        run = self.provision()
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.assertEqual(self.read_result()["ExitCode"], "0")
        self.assertEqual(self.run_count(), 2)

    def test_after_failure_it_runs_again_whatever_the_script_has_left(self):
        self.script(f"echo $$ >> {self.runs};" + self.WRITE_BOTH % 0 + "exit 3")
        self.assertEqual([self.provision().returncode for _ in range(2)], [3, 3])
        self.assertEqual(self.run_count(), 2)

    def test_a_start_that_came_to_nothing_does_not_make_a_failure_good(self):
        self.script(f"echo $$ >> {self.runs};" + self.WRITE_BOTH % 0 + "exit 3")
        self.assertEqual(self.provision().returncode, 3)
        self.log.unlink()
        self.log.mkdir()
        self.assertEqual(self.provision().returncode, 1, "it has no log")
        self.log.rmdir()
        self.assertEqual(self.provision().returncode, 3)
        self.assertEqual(self.run_count(), 2)

    def stop_when(self, child, happened):
        self.until_file(happened)
        child.send_signal(signal.SIGTERM)
        return self.finish(child)

    def test_a_success_stays_one_when_we_are_stopped_after_it(self):
        # Its daemon keeps the output open, so the program continues to read.
        self.script(f"echo $$ >> {self.runs};" + self.WRITE_BOTH % 0 + f"(read x < {self.dir}/go) & echo > {self.dir}/left")
        self.assertEqual(self.stop_when(self.trigger(), (self.dir / "left").exists).returncode, -signal.SIGTERM)
        self.assertEqual(self.read_result()["ExitCode"], "0")
        again = self.provision()
        self.assertEqual(again.returncode, 0)
        self.assertIn("this node is provisioned already", again.messages)
        self.assertEqual(self.run_count(), 1)

    def test_a_result_without_marker_is_not_the_last_word_of_a_script_that_we_ended(self):
        result = f"mkdir -p $(dirname $RESULT); echo '{{\"ExitCode\":\"0\"}}' > $RESULT; "
        self.script(result + f"echo $$ >> {self.runs}; read x < {self.dir}/go")
        self.assertEqual(self.stop_when(self.trigger(), self.runs.exists).returncode, -signal.SIGTERM)
        self.assertEqual(self.read_result()["ExitCode"], "240")
        self.assertTrue(self.complete.exists())
        self.assertNotEqual(self.run_program("provision-wait").returncode, 0)
        self.script(f"echo $$ >> {self.runs};" + self.WRITE_BOTH % 0)
        self.assertEqual(self.provision().returncode, 0)
        self.assertEqual(self.run_count(), 2, "it is provisioned again")

    def test_how_the_command_ended_stands_when_we_are_stopped_while_comparing(self):
        program = self.bin / "containerd"  # its version is queried, and it responds slowly
        program.write_text(f"#!/bin/sh\necho > {self.dir}/asked; read x < {self.dir}/go\n")
        program.chmod(0o755)
        for end, code in (self.WRITE_BOTH % 0, 0), ("exit 4", 4):
            with self.subTest(code):
                for path in self.dir / "asked", self.complete, self.result:
                    path.unlink(missing_ok=True)
                command = self.script(end, "nbc-cmd.sh")
                child = self.start("provision", "--nbc-cmd", command, "--provision-config", self.config)
                self.assertEqual(self.stop_when(child, (self.dir / "asked").exists).returncode, code)
                self.assertEqual(self.read_result()["ExitCode"], str(code))

    def test_an_unreadable_result_is_no_success(self):
        self.leave_result('{"ExitCode":"0')
        self.script("echo ran")
        self.assertEqual(self.provision().stdout, "ran\n")

    def test_takes_over_when_the_first_and_its_script_are_killed(self):
        self.gated_script("exit 1")
        first = self.trigger()
        script = self.until_running()
        second = self.trigger()
        self.until_logged(WAITING)
        # Created atomically, before any process can be about to start it.
        os.replace(self.script(f"echo $$ >> {self.runs};" + self.WRITE_BOTH % 0, "next.sh"), self.containers / "provision_start.sh")
        first.send_signal(signal.SIGKILL)
        first.wait()
        os.killpg(os.getpgid(script), signal.SIGKILL)
        run = self.finish(second)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("an earlier provision was killed before it could leave a result", run.messages)
        self.assertEqual(self.run_count(), 2)

    def test_waits_for_the_script_that_outlives_a_killed_first(self):
        self.gated_script(self.WRITE_BOTH % 3 + "exit 3")
        first = self.trigger()
        self.until_running()
        first.send_signal(signal.SIGKILL)
        first.wait()
        second = self.trigger()
        self.until_logged("its script is still running, waiting for it")
        third = self.trigger()
        self.until_logged(WAITING)
        self.let_go()
        self.assertEqual(self.finish(second).returncode, 3)
        self.assertEqual(self.finish(third).returncode, 3)
        self.assertEqual(self.run_count(), 1, "never two scripts at once")

    def test_a_waiting_trigger_can_be_stopped_alone(self):
        self.gated_script(self.WRITE_BOTH % 0)
        first = self.trigger()
        self.until_running()
        second = self.trigger()
        self.until_logged(WAITING)
        second.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(second).returncode, -signal.SIGTERM)
        self.assertFalse(self.complete.exists())
        self.let_go()
        self.assertEqual(self.finish(first).returncode, 0)
        self.assertEqual(self.read_result()["ExitCode"], "0")

    def test_a_dry_run_does_not_wait(self):
        self.gated_script("true")
        first = self.trigger()
        self.until_running()
        self.assertEqual(self.provision("--dry-run").returncode, 0)
        self.let_go()
        self.assertEqual(self.finish(first).returncode, 0)

    def test_runs_without_a_lock_rather_than_not_at_all(self):
        self.script("echo ran")
        (self.containers / ".provision.lock").mkdir()
        run = self.provision()
        self.assertEqual((run.returncode, run.stdout), (0, "ran\n"))
        self.assertIn("cannot ensure that only one provision runs", run.messages)


class FullDisk(SingleFlightTest):
    """No space for the record of a run. The script's own files are elsewhere, or empty."""

    def on_full_disk(self, command):
        """The image's script is on that disk, too, so it is installed after the disk is mounted."""
        script = self.containers / "provision_start.sh"
        os.replace(script, self.dir / "script")
        command = command.replace("PROVISION", f'"{PROGRAM}" provision --provision-config "{self.config}"')
        fill = f'cat /dev/zero > {self.containers}/filler 2> /dev/null'
        return self.on_small_disk(self.containers, "size=64k", f"cp script {script}; {command}".replace("FILL", fill))

    def test_a_trigger_after_success_runs_nothing_whatever_came_before(self):
        self.script(f"echo $$ >> {self.runs}; [ $(wc -l < {self.runs}) -gt 1 ] || exit 9;" + self.WRITE_BOTH % 0)
        argv = self.on_full_disk("PROVISION; echo $?; FILL; PROVISION; echo $?; PROVISION; echo $?")
        done = subprocess.run(argv, env=self.environment(), cwd=self.dir, capture_output=True)
        self.assertEqual(done.stdout, b"9\n0\n0\n", done.stderr)
        self.assertIn(b"cannot record the progress of this provision", done.stderr)
        self.assertIn(b"this node is provisioned already", done.stderr)
        self.assertEqual(self.run_count(), 2)

    def test_who_waits_returns_the_result_of_the_first(self):
        self.gated_script("exit 9")
        os.mkfifo(self.dir / "second")
        argv = self.on_full_disk("FILL; PROVISION & first=$!; read x < second; PROVISION & second=$!; "
                                 "wait $first; echo $?; wait $second; echo $?; PROVISION; echo $?")
        child = subprocess.Popen(argv, env=self.environment(), cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.children.append(child)
        self.until_running()
        (self.dir / "second").write_text("\n")
        self.until_logged(WAITING)
        self.let_go()
        self.until_file(lambda: self.run_count() == 2)  # the third: it came after the failure
        self.let_go()
        run = self.finish(child)
        self.assertEqual(run.stdout, "9\n9\n9\n", run.stderr)
        self.assertEqual(self.run_count(), 2)


class Stopped(NodeTest):
    def setUp(self):
        super().setUp()
        os.mkfifo(self.dir / "go")

    def start_and_stop(self, number, script):
        self.script(script)
        child = self.start("provision", "--provision-config", self.config)
        said = self.until_file(lambda: (self.dir / "pids").read_text().endswith("\n") and (self.dir / "pids").read_text())
        # A process ID may be reused as soon as the process has ended; a descriptor refers to the same process.
        processes = [os.pidfd_open(int(pid)) for pid in said.split()]
        for process in processes:
            self.addCleanup(os.close, process)
        child.send_signal(number)
        return self.finish(child), processes

    def until_gone(self, processes):
        """A process that is killed ends a moment later; any other does not end."""
        for process in processes:
            select.select([process], [], [])

    def test_leaves_a_result_and_no_children(self):
        for number, name in ((signal.SIGTERM, "terminated"), (signal.SIGINT, "interrupt"), (signal.SIGHUP, "hangup"),
                             (signal.SIGQUIT, "quit"), (signal.SIGUSR1, "user defined signal 1"),
                             (signal.SIGALRM, "alarm clock")):
            with self.subTest(name):
                (self.dir / "pids").unlink(missing_ok=True)
                run, processes = self.start_and_stop(
                    number, f"echo said; (read x < {self.dir}/go) & echo $$ $! > pids; read x < {self.dir}/go")
                self.assertEqual(run.returncode, -number, "it ends by the signal, as if it had not been handled")
                self.assertEqual(run.stdout, "said\n")
                self.assertEqual(self.read_result(), {
                    "ExitCode": "240", "Error": f"aks-node-controller was stopped while provisioning (signal: {name})",
                    "Output": "said\n\n"})
                self.assertTrue(self.complete.exists())
                self.until_gone(processes)
                self.assertEqual(self.event_messages()[-1][1], "Error")

    @staticmethod
    def open_for_a_reader(pipe):
        """A descriptor for writing, once there is a reader."""
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return None

    def test_leaves_a_result_when_stopped_before_the_script_starts(self):
        self.script("echo $$ > pids")
        self.leave_result('{"ExitCode":"5"}')
        slow = self.dir / "slow.json"
        os.mkfifo(slow)
        child = self.start("provision", "--provision-config", slow)
        self.addCleanup(os.close, until(lambda: self.open_for_a_reader(slow)))  # it waits for the config, which never comes
        self.assertFalse(self.complete.exists(), "the old result is gone")
        child.send_signal(signal.SIGTERM)
        run = self.finish(child)
        self.assertEqual(run.returncode, -signal.SIGTERM, run.stderr)
        self.assertEqual(self.read_result()["ExitCode"], "240")
        self.assertTrue(self.complete.exists())

    def test_keeps_the_result_that_the_script_leaves_on_its_way_out(self):
        run, processes = self.start_and_stop(
            signal.SIGTERM, f"trap '{self.WRITE_BOTH % 143}' EXIT; trap 'exit 143' TERM; echo $$ > pids; "
            f"while :; do read x < {self.dir}/go; done".replace("'{\"", "{\\\"").replace("\"}'", "\\\"}"))
        self.assertEqual(run.returncode, -signal.SIGTERM)
        self.assertTrue(self.complete.exists())
        self.until_gone(processes)

    def test_what_the_script_says_on_its_way_out_is_streamed_and_kept(self):
        run, processes = self.start_and_stop(
            signal.SIGTERM, f"trap 'echo cleaning up; echo more >&2; exit 7' TERM; exec 3<>{self.dir}/go; echo $$ > pids; "
            "while :; do read x <&3; done")
        self.assertEqual(run.returncode, -signal.SIGTERM)
        self.assertEqual(run.stdout, "cleaning up\n")
        self.assertIn("\nmore\n", run.stderr)
        self.assertEqual(self.read_result()["ExitCode"], "240")
        self.assertEqual(self.read_result()["Output"], "cleaning up\n\nmore\n")
        self.assertEqual(run.record("CSE finished")["stdout"], "cleaning up\n")
        self.until_gone(processes)

    def test_is_stopped_even_if_nobody_reads_its_output(self):
        self.script(f"echo $$ > pids; yes")
        child = self.start("provision", "--provision-config", self.config)
        self.until_file(lambda: (self.dir / "pids").exists())
        # Its stdout is full and stays full: it sleeps until the pipe is read, or until it is asked to stop.
        until(lambda: "poll" in open(f"/proc/{child.pid}/wchan").read() or
              open(f"/proc/{child.pid}/stat").read().rsplit(")")[1].split()[0] == "S")
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(), -signal.SIGTERM)
        self.assertEqual(self.read_result()["ExitCode"], "240")


if __name__ == "__main__":
    main()
