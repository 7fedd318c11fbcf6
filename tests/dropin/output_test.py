"""Our own output: closed, unread, or on a disk that is full. None of it may change what becomes of the node."""
import os
import subprocess

from harness import NodeTest, PROGRAM, main


class Output(NodeTest):
    def with_closed(self, closed, *args):
        """Runs the program with these of its three standard descriptors closed."""
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
        """A script may say more than a pipe holds; the run ends although nobody takes it."""
        self.script(f"head -c 1000000 /dev/zero | tr '\\0' x; {self.WRITE_BOTH % 0}")
        unread, ours = os.pipe()
        try:
            child = self.start("provision", "--mode=scripts", "--provision-config", self.config, stdout=ours, stderr=ours)
            self.assertEqual(child.wait(), 0)
            self.assertEqual(self.read_result()["ExitCode"], "0")
        finally:
            os.close(unread)
            os.close(ours)

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
