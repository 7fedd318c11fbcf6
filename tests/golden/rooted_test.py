"""`provision --mode native --root DIR` with the real program, on the image of every golden case: what is in the tree
afterwards and was not before must be what the case's `tree` file says, with the bytes of `expected/`. The program provisions an image of
each architecture, whatever its own is; for an arm64 image, `tree.arm64` and `arm64` list what differs.

SUNUP_GOLDEN_UPDATE=1 records `tree` and `tree.arm64` again (./dev golden --update); review the difference before you commit it.
"""
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import time
import unittest

import image

PROGRAM = os.environ["AKS_NODE_CONTROLLER"]
CASES = pathlib.Path(__file__).resolve().parent / "cases"
EVENTS = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events/"
os.umask(0o022)  # the recorded modes are those of a node, independent of the caller's umask


def snapshot(root: pathlib.Path) -> dict[str, tuple]:
    """Path -> (kind and mode, bytes or target)."""
    found = {}
    for directory, folders, files in os.walk(root):
        for name in folders + files:
            path = pathlib.Path(directory, name)
            status = path.lstat()
            shown = "/" + str(path.relative_to(root))
            if stat.S_ISLNK(status.st_mode):
                found[shown] = ("link", os.readlink(path))
            elif stat.S_ISDIR(status.st_mode):
                found[shown] = ("folder %04o" % stat.S_IMODE(status.st_mode), b"")
            else:
                found[shown] = ("%04o" % stat.S_IMODE(status.st_mode), path.read_bytes())
    return found


def changes(before: dict, after: dict) -> list[str]:
    """One line for each path that is new, changed or removed. Events are named by their time."""
    lines = set()
    for path, (kind, content) in after.items():
        if before.get(path) == (kind, content):
            continue
        if path.startswith(EVENTS):
            path = EVENTS + "*.json"
        elif re.fullmatch(r"/var/log/azure/aks-node-controller/.*", path) and not kind.startswith("folder"):
            path = re.sub(r"[0-9a-f]{8,}", "*", path)
        lines.add(f"{kind} {path}" + (f" -> {content}" if kind == "link" else ""))
    lines |= {f"gone {path}" for path in before if path not in after}
    return sorted(lines, key=lambda line: line.split("/", 1)[-1])


def changed(lines: list[str], file: pathlib.Path) -> set[str]:
    """The recorded lines are those of amd64. The file, if it exists, contains the differences on arm64: "- LINE" and "+ LINE"."""
    wanted = set(lines)
    for line in file.read_text().splitlines() if file.exists() else []:
        if line.startswith("- "):
            wanted.remove(line[2:])
        elif line.startswith("+ "):
            wanted.add(line[2:])
        else:
            raise ValueError(f"{file}: neither an addition nor a removal: {line}")
    return wanted


def record(case: pathlib.Path, lines: dict[str, list[str]]):
    (case / "tree").write_text("\n".join(lines["amd64"]) + "\n")
    found = [f"- {line}" for line in lines["amd64"] if line not in lines["arm64"]]
    found += [f"+ {line}" for line in lines["arm64"] if line not in lines["amd64"]]
    (case / "tree.arm64").unlink(missing_ok=True)
    if found:
        (case / "tree.arm64").write_text("\n".join(found) + "\n")


class Rooted(unittest.TestCase):
    maxDiff = None

    def provision(self, case: pathlib.Path, arch: str):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sunup-golden-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        facts = json.loads((case / "facts.json").read_text())
        made = image.make(folder / "root", facts, json.loads((case / "config.json").read_text()), arch)
        answer = folder / "metadata.json"
        answer.write_text(json.dumps(facts["imds"]))
        before = snapshot(made.root)
        run = subprocess.run([PROGRAM, "provision", "--mode", "native", "--root", made.root, "--metadata", answer,
                              "--provision-config", case / "config.json"], capture_output=True, text=True, cwd=folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        return before, snapshot(made.root)

    def test_every_case_leaves_the_recorded_tree(self):
        cases = sorted(folder for folder in CASES.iterdir() if folder.is_dir())
        self.assertGreaterEqual(len(cases), 17)
        for case in cases:
            trees = {arch: self.provision(case, arch) for arch in image.ARCHITECTURES}
            if "SUNUP_GOLDEN_UPDATE" in os.environ:
                record(case, {arch: changes(*tree) for arch, tree in trees.items()})
                continue
            for arch, (before, after) in trees.items():
                with self.subTest(case=case.name, arch=arch):
                    self.check(case, arch, before, after)

    def check(self, case: pathlib.Path, arch: str, before: dict, after: dict):
        def wanted(recorded: str, other: str) -> set[str]:
            lines = (case / recorded).read_text().splitlines()
            return changed(lines, case / other) if arch == "arm64" else set(lines)
        self.assertEqual(set(changes(before, after)), wanted("tree", "tree.arm64"))
        # The rendered and the written files must match: the same bytes, modes, links and removals.
        expected = case / "expected"
        for line in wanted("manifest", "arm64"):
            what, rest = line.split(" ", 1)
            path = rest.removeprefix("secret ").split(" -> ")[0]
            if what == "gone":
                self.assertFalse(path in after, f"{path} is still there")
            elif what == "link":
                self.assertEqual(after.get(path), ("link", rest.split(" -> ")[1]), path)
            else:
                self.assertTrue(path in after, f"{path} is missing")
                self.assertEqual(after[path][0], what, path)
                self.assertEqual(after[path][1].decode(), (expected / path[1:]).read_text(), path)

    def test_a_second_run_is_told_that_the_node_is_done_and_changes_nothing(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sunup-golden-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        case = CASES / "azure"
        made = image.make(folder / "root", json.loads((case / "facts.json").read_text()),
                          json.loads((case / "config.json").read_text()))
        trees = []
        for _ in range(2):
            subprocess.run([PROGRAM, "provision", "--mode", "native", "--root", made.root, "--provision-config",
                            case / "config.json"], capture_output=True, check=True, cwd=folder)
            trees.append({path: entry for path, entry in snapshot(made.root).items()
                          if not path.startswith(("/var/log/azure/", "/opt/azure/containers/.provision."))})
        self.assertEqual(changes(*trees), [])


    def run_on(self, change=lambda made: None, case="azure", metadata=False):
        """The program's output, the image and its log, after `change` was applied to the image."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sunup-golden-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        config = CASES / case / "config.json"
        facts = json.loads((CASES / case / "facts.json").read_text())
        made = image.make(folder / "root", facts, json.loads(config.read_text()))
        change(made)
        command = [PROGRAM, "provision", "--mode", "native", "--root", made.root, "--provision-config", config]
        if metadata:
            (folder / "metadata.json").write_text(json.dumps(facts["imds"]))
            command += ["--metadata", folder / "metadata.json"]
        run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        result = json.loads(made.path("/var/log/azure/aks/provision.json").read_text())
        return run, made, result

    def test_what_is_left_alone_is_said_to_be_skipped(self):
        run, made, result = self.run_on()
        self.assertEqual(run.returncode, 0, run.stderr)
        log = [json.loads(line) for line in made.path("/var/log/azure/aks-node-controller.log").read_text().splitlines()]
        steps = {name: {record["step"] for record in log if record["msg"] == f"step {name}"}
                 for name in ("done", "done in part", "skipped")}
        for step in ("containerd.start", "containerd.ready", "kubelet.enable", "kubelet.health", "apiserver.reach", "imds.metadata"):
            self.assertIn(step, steps["skipped"])
        self.assertIn("kubelet.start", steps["done in part"])
        self.assertIn("kubelet.files", steps["done"])
        self.assertFalse(steps["done"] & steps["skipped"])
        self.assertRegex(result["Output"], r"left alone, skipped: .*containerd\.start")

    def test_log_result_and_timeline_agree_on_what_was_left_alone(self):
        run, made, result = self.run_on()
        told = subprocess.run([PROGRAM, "timeline", "--format", "json"], env=os.environ | {"SUNUP_ROOT": str(made.root)},
                              capture_output=True, text=True, check=True)
        log = [json.loads(line) for line in made.path("/var/log/azure/aks-node-controller.log").read_text().splitlines()]
        skipped = {record["step"] for record in log if record["msg"] == "step skipped"}
        spans = {span["name"]: span for span in json.loads(told.stdout)["spans"] if span["kind"] == "step"}
        self.assertEqual({name for name, span in spans.items() if span["state"] == "skipped"}, skipped)
        for record in log:
            if record["msg"] == "step done in part":
                self.assertTrue(any(note.startswith("left alone: ") for note in spans[record["step"]]["notes"]), record["step"])
        for untrue in ("systemd reloads the unit files", "milestone reached"):
            self.assertNotIn(untrue, [record["msg"] for record in log])

    def test_a_failure_tells_no_tale_of_a_runtime_that_was_left_alone(self):
        def damage(made):
            made.path("/opt/bin/kubelet-1.34.1").unlink()
            made.put("/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u1_amd64.deb", "garbage")
        _, _, result = self.run_on(damage)
        self.assertNotRegex(result["Verdict"], r"containerd ready|containerd never ready")

    def test_a_second_run_names_the_result_below_the_root(self):
        run, made, _ = self.run_on()
        again = subprocess.run([PROGRAM, "provision", "--mode", "native", "--root", made.root, "--provision-config",
                                CASES / "azure/config.json"], capture_output=True, text=True)
        told = [json.loads(line) for line in again.stdout.splitlines() + again.stderr.splitlines() if line.startswith("{")]
        paths = [record["path"] for record in told if record["msg"] == "this node is provisioned already"]
        self.assertEqual(paths, [str(made.path("/var/log/azure/aks/provision.json"))])

    def test_what_only_the_metadata_service_knows_is_skipped_too(self):
        run, made, _ = self.run_on(case="dual-stack-two-nics")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("network cards", made.path("/var/log/azure/aks-node-controller.log").read_text())

    def test_a_damaged_package_is_a_failure(self):
        def damage(made):
            made.path("/opt/bin/kubelet-1.34.1").unlink()
            made.put("/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u1_amd64.deb", "garbage")
        run, made, result = self.run_on(damage)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual((result["ExitCode"], result["FailedStep"]), ("9", "kubelet.binary"))
        self.assertTrue(made.path("/opt/kubelet/downloads/kubelet_1.34.1-ubuntu22.04u1_amd64.deb").exists())

    def test_a_program_that_would_be_fetched_is_skipped_and_nothing_is_cleaned_up_for_it(self):
        run, made, result = self.run_on(lambda made: made.path("/opt/bin/kubelet-1.34.1").rename(made.path("/opt/bin/kubelet-1.33.0")))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(result["Output"], r"left alone, skipped: .*kubelet\.binary")
        self.assertTrue(made.path("/opt/bin/kubelet-1.33.0").exists())

    def test_an_old_kubelet_is_not_taken_for_the_wanted_one(self):
        def rename(made):
            made.path("/opt/bin/kubelet-1.34.1").rename(made.path("/opt/bin/kubelet"))
            # Its time is new, but the file existed before the run.
            soon = time.time() + 60
            os.utime(made.path("/opt/bin/kubelet"), (soon, soon))
        run, made, result = self.run_on(rename)
        self.assertRegex(result["Output"], r"left alone, skipped: .*kubelet\.binary")

    def test_a_tree_without_the_mark_of_a_node_image_is_said_to_be_none(self):
        run, made, result = self.run_on(lambda made: made.path("/opt/azure/vhd-install.complete").unlink())
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("not a node image", made.path("/var/log/azure/aks-node-controller.log").read_text())
        self.assertRegex(result["Output"], r"left alone, skipped: .*image\.check")

    def test_a_tree_without_a_host_name_is_told_so(self):
        def forget(made):
            made.path("/etc/hostname").unlink()
            made.path("/proc/sys/kernel/hostname").unlink()
        run, made, result = self.run_on(forget, case="none-old-flags")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("/etc/hostname", result["Hint"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
