"""The help of ./dev, and that it does not ignore unknown arguments."""
import pathlib
import subprocess
import unittest

REPO = pathlib.Path(__file__).resolve().parents[2]


def dev(*words):
    return subprocess.run([REPO / "dev", *words], capture_output=True, text=True)


class Dev(unittest.TestCase):
    def test_help_of_every_verb_is_for_people_only(self):
        verbs = [file.stem for file in (REPO / "tools/dev").glob("*.sh") if file.stem != "lib"]
        self.assertIn("demo", verbs)
        for verb in verbs:
            told = dev(verb, "--help")
            self.assertEqual((told.returncode, told.stderr), (0, ""), verb)
            self.assertTrue(told.stdout.strip(), verb)
            self.assertNotIn("shellcheck source", told.stdout, verb)

    def test_build_and_package_refuse_what_they_do_not_know(self):
        for verb in "build", "package":
            for words, named in (("extra",), "'extra'"), (("--arch", "mips"), "'mips'"), (("--arch",), "needs a value"):
                told = dev(verb, *words)
                self.assertEqual((told.returncode, told.stdout), (1, ""), words)
                self.assertIn(named, told.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
