"""The nodes that faults.py provisions, each in a directory that is created anew for every run, and the comparison of their trees."""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "golden"))
import image  # noqa: E402  (the image of a golden case)

GOLDEN = HERE.parent / "golden/cases"
JOURNAL = "/var/lib/sunup/journal"
RESULT = "/var/log/azure/aks/provision.json"
MARKERS = ("/opt/azure/containers/provision.complete", "/opt/azure/containers/base_prep.complete")
# Logs and records of runs, which differ from run to run. Of the result only its verdict is compared.
VOLATILE = ("/var/log/", "/opt/m/", "/opt/azure/containers/.provision.")
# Files that contain times or new keys: compared without their content.
ALWAYS_NEW = ("/opt/azure/containers/tls-bootstrap-start-time", "/etc/kubernetes/certs/kubeletserver.crt",
              "/etc/kubernetes/certs/kubeletserver.key")


def snapshot(root: pathlib.Path) -> dict[str, tuple]:
    """Path -> (kind, mode, owner, bytes or target)."""
    found, top = {}, len(str(root))
    stack = [str(root)]
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                status, shown = entry.stat(follow_symlinks=False), entry.path[top:]
                mode = (stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid)
                if stat.S_ISLNK(status.st_mode):
                    found[shown] = ("link", mode, os.readlink(entry.path))
                elif stat.S_ISDIR(status.st_mode):
                    found[shown] = ("folder", mode, b"")
                    stack.append(entry.path)
                else:
                    descriptor = os.open(entry.path, os.O_RDONLY)
                    found[shown] = ("file", mode, os.read(descriptor, status.st_size) if status.st_size else b"")
                    os.close(descriptor)
    return found


def restore(root: pathlib.Path, tree: dict[str, tuple]):
    """Creates the tree that snapshot() recorded."""
    shutil.rmtree(root, ignore_errors=True)
    os.mkdir(root, 0o755)
    for shown, (kind, (mode, uid, gid), content) in tree.items():  # directories come before their contents
        path = str(root) + shown
        if kind == "link":
            os.symlink(content, path)
        elif kind == "folder":
            os.mkdir(path)
            os.chmod(path, mode)
        else:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            os.write(descriptor, content)
            os.fchmod(descriptor, mode)
            os.close(descriptor)


def lasting(tree: dict[str, tuple]) -> dict[str, tuple]:
    return {path: entry[:2] if path in ALWAYS_NEW else entry
            for path, entry in tree.items() if not (path + "/").startswith(VOLATILE)}


def differences(calm: dict, tree: dict) -> list[str]:
    calm, tree = lasting(calm), lasting(tree)
    lines = []
    for path in sorted(calm.keys() | tree.keys()):
        if path not in tree:
            lines.append(f"missing: {path}")
        elif path not in calm:
            lines.append(f"left over: {path}")
        elif calm[path] != tree[path]:
            lines.append(f"differs: {path}")
    return lines


class Golden:
    """`provision --mode native --root TREE` on the image of a golden case."""

    def __init__(self, name: str):
        self.name, self.case = name, GOLDEN / name

    def make(self, folder: pathlib.Path):
        facts = json.loads((self.case / "facts.json").read_text())
        image.make(folder / "root", facts, json.loads((self.case / "config.json").read_text()))
        (folder / "metadata.json").write_text(json.dumps(facts["imds"]))

    def subject(self, folder: pathlib.Path) -> list[str]:
        return ["--root", str(folder / "root"), "--metadata", str(folder / "metadata.json"),
                "--provision-config", str(self.case / "config.json")]

    def arguments(self, folder: pathlib.Path) -> list[str]:
        return ["provision", "--mode", "native", *self.subject(folder)]

    def files_of_steps(self, program: str, folder: pathlib.Path) -> dict[str, list[str]]:
        plan = subprocess.run([program, "plan", "--format", "json", *self.subject(folder)], env=self.environment(folder),
                              stdout=subprocess.PIPE, check=True)
        return {step["name"]: [file["path"] for file in step["files"]] for step in json.loads(plan.stdout)["steps"]}

    def environment(self, folder: pathlib.Path) -> dict[str, str]:
        return {"PATH": "/usr/bin:/bin", "TZ": "UTC"}


class Scripts:
    """`provision` that starts the image's script, which writes its own file and the result, or fails."""

    def __init__(self, name: str, ends: str, command_file=False):
        self.name, self.ends, self.command_file = name, ends, command_file

    def make(self, folder: pathlib.Path):
        made = image.Image(folder / "root")
        made.put("/opt/azure/components.json", "{}")
        root = made.root
        made.put("/opt/azure/containers/provision_start.sh",
                 f"echo provisioned > {root}/etc-written-by-script\n" + self.ends.replace("ROOT", str(root)) + "\n", 0o755)
        (folder / "config.json").write_text('{"version": "v1"}')
        (folder / "command").write_text(f"/bin/bash {root}/opt/azure/containers/provision_start.sh\n")

    def files_of_steps(self, program: str, folder: pathlib.Path) -> dict[str, list[str]]:
        return {}

    def arguments(self, folder: pathlib.Path) -> list[str]:
        if self.command_file:
            return ["provision", "--nbc-cmd", str(folder / "command")]
        return ["provision", "--provision-config", str(folder / "config.json")]

    def environment(self, folder: pathlib.Path) -> dict[str, str]:
        # The variable sorts above the fixed path, so the script's own log stays in our directory.
        return {"PATH": "/usr/bin:/bin", "TZ": "UTC", "SUNUP_ROOT": str(folder / "root"), "PROVISION_OUTPUT": str(folder / "cse.log")}


LEAVES_SUCCESS = (f"mkdir -p ROOT{os.path.dirname(RESULT)}; echo '{{\"ExitCode\":\"0\",\"Output\":\"by script\"}}' > ROOT{RESULT}; "
                  f"touch ROOT{MARKERS[0]}")


def all_nodes() -> list:
    nodes = [Golden(case.name) for case in sorted(GOLDEN.iterdir()) if case.is_dir()]
    return nodes + [Scripts("scripts", LEAVES_SUCCESS), Scripts("scripts-command-file", LEAVES_SUCCESS, command_file=True),
                    Scripts("scripts-failing", "echo no network >&2; exit 51")]
