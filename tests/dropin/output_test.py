"""The program's own output: closed, unread, or on a full disk. None of this may change the result of the node."""
import os
import re
import subprocess

from harness import NodeTest, PROGRAM, main


class Output(NodeTest):
    def with_closed(self, closed, *args):
        """Runs the program with these of the three standard descriptors closed."""
        redirections = " ".join(f"{fd}>&-" for fd in closed)
        command = f'exec "$@" {redirections}'
        return subprocess.run(["/bin/sh", "-c", command, "sh", PROGRAM, *map(str, args)], env=self.environment(), cwd=self.dir,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def test_closed_output_changes_nothing_else(self):
        for closed in ([1], [2], [1, 2], [0, 1, 2]):
            self.assertEqual(self.with_closed(closed, "version").returncode, 0)
            self.script(self.WRITE_BOTH % 0)
            run = self.with_closed(closed, "provision", "--mode=scripts", "--provision-config", self.config)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(self.read_result()["ExitCode"], "0")
            self.assertEqual(self.with_closed(closed, "provision-wait", "--timeout", "60s").returncode, 0)
            self.complete.unlink()

    def test_a_reader_that_does_not_read_holds_nobody_up(self):
        """A script may print more than a pipe holds; the run ends although the output is not read."""
        self.script(f"head -c 1000000 /dev/zero | tr '\\0' x; {self.WRITE_BOTH % 0}")
        unread, ours = os.pipe()
        try:
            child = self.start("provision", "--mode=scripts", "--provision-config", self.config, stdout=ours, stderr=ours)
            self.assertEqual(child.wait(), 0)
            self.assertEqual(self.read_result()["ExitCode"], "0")
            self.assertIn("the end of the output is dropped: its reader is stalled", self.log_text())
        finally:
            os.close(unread)
            os.close(ours)

    def start_and_do_not_read(self, says):
        """The script has printed everything, and continues on a signal."""
        os.mkfifo(self.dir / "go")
        self.script(f"{says}; echo > {self.dir}/said; read x < {self.dir}/go; echo last")
        child = self.start("provision", "--mode=scripts", "--provision-config", self.config, stderr=subprocess.DEVNULL)
        self.until_file((self.dir / "said").exists)
        return child

    def let_go(self):
        (self.dir / "go").write_text("\n")

    NUMBERS = "".join(f"{i}\n" for i in range(1, 300001))

    def test_a_reader_that_pauses_loses_nothing(self):
        child = self.start_and_do_not_read("seq 1 300000")
        self.let_go()
        self.assertEqual(self.finish(child).stdout, self.NUMBERS + "last\n")

    def test_what_waited_is_written_when_the_reader_reads_on_although_the_script_is_silent(self):
        child = self.start_and_do_not_read("seq 1 300000")
        got = b""
        while len(got) < len(self.NUMBERS):
            got += os.read(child.stdout.fileno(), 65536)
        self.assertEqual(got.decode(), self.NUMBERS)
        self.let_go()
        self.assertEqual(self.finish(child).stdout, "last\n")

    def test_a_reader_that_is_too_far_behind_learns_how_much_he_missed(self):
        child = self.start_and_do_not_read("head -c 9000000 /dev/zero | tr '\\0' x; echo")
        got = b""
        while b" bytes left out]\n" not in got:
            got += os.read(child.stdout.fileno(), 65536)
        self.let_go()
        got += self.finish(child).raw_stdout
        # The last output of the script may have been in transit when the reader had caught up.
        kept, missing, later = re.fullmatch(rb"(x+)\n\[(\d+) bytes left out\]\n(x*\n?)last\n", got).groups()
        self.assertGreater(len(kept), 4 << 20)
        self.assertEqual(len(kept) + int(missing) + len(later), 9000001)

    def test_looking_needs_no_log(self):
        self.config = self.write_config({"version": "v1"})
        for args in (["plan", "--provision-config", self.config], ["timeline"]):
            self.run_program(*args)
            self.assertFalse(self.log.exists())

    def test_names_a_root_that_is_no_directory(self):
        run = self.run_program("plan", "--root", self.config, "--provision-config", self.config)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (1, "", f"root {self.config}: not a directory\n"))


if __name__ == "__main__":
    main()
