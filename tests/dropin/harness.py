"""A node in a temporary directory, and the real program run on it.

The program takes every fixed path below SUNUP_ROOT, so nothing here touches the machine. Tests wait for what they can
see (a record in the log, a watch in /proc), never for time to pass; ctest ends one that waits in vain.
"""
import base64
import contextlib
import ctypes
import errno
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["AKS_NODE_CONTROLLER"]
SUNUP = os.environ["SUNUP"]
VERSION = os.environ["SUNUP_VERSION"]
SOURCE = pathlib.Path(os.environ["SUNUP_SOURCE_DIR"])

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,8}[1-9])?(Z|[+-]\d\d:\d\d)"
EVENT_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}"
ONE_LINER = ('echo $(date),$(hostname) > ${PROVISION_OUTPUT}; if [ -f "${INIT_AKS_CLOUD_FILEPATH}" ]; then '
             '\t"${INIT_AKS_CLOUD_FILEPATH}" >> %(root)s/var/log/azure/cluster-provision.log 2>&1 || exit $?; fi; '
             '/usr/bin/nohup /bin/bash -c "/bin/bash %(root)s/opt/azure/containers/provision_start.sh" ')


os.umask(0o022)  # as on a node; modes are compared with it

IN_MODIFY, IN_MOVED_TO, IN_CREATE = 0x2, 0x80, 0x100
_libc = ctypes.CDLL(None, use_errno=True)


def until(condition):
    """Waits until the condition holds and returns its value, by polling. For conditions without notifications (/proc);
    until_file() leaves the processor to the program."""
    while True:
        value = condition()
        if value:
            return value
        os.sched_yield()


def _watch_below(inotify, directory):
    with contextlib.suppress(FileNotFoundError):  # already removed
        if _libc.inotify_add_watch(inotify, os.fsencode(directory), IN_MODIFY | IN_MOVED_TO | IN_CREATE) < 0:
            if ctypes.get_errno() == errno.ENOENT:
                return
            raise OSError(ctypes.get_errno(), f"inotify_add_watch {directory}")
        # Only now: a directory that is created after this causes an event.
        for entry in os.scandir(directory):
            if entry.is_dir(follow_symlinks=False):
                _watch_below(inotify, entry.path)


class Run:
    """The result of a run of the program."""

    def __init__(self, returncode, stdout, stderr):
        self.returncode = returncode
        self.stdout = stdout.decode("utf-8", "surrogateescape")
        self.stderr = stderr.decode("utf-8", "surrogateescape")
        self.raw_stdout = stdout

    @property
    def records(self):
        return [json.loads(line) for line in self.stderr.splitlines() if line.startswith('{"time"')]

    def record(self, message):
        found = [r for r in self.records if r["msg"] == message]
        assert len(found) == 1, f"{len(found)} records '{message}' in:\n{self.stderr}"
        return found[0]

    @property
    def messages(self):
        return [r["msg"] for r in self.records]


class NodeTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="sunup-dropin-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.root = self.dir / "root"
        self.containers = self.root / "opt/azure/containers"
        self.containers.mkdir(parents=True)
        self.complete = self.containers / "provision.complete"
        self.result = self.root / "var/log/azure/aks/provision.json"
        self.log = self.root / "var/log/azure/aks-node-controller.log"
        self.events_dir = self.root / "var/log/azure/Microsoft.Azure.Extensions.CustomScript/events"
        self.components = self.root / "opt/azure/components.json"
        self.components.write_text("{}")
        self.bin = self.dir / "bin"
        self.bin.mkdir()
        self.config = self.write_config({"version": "v1"})
        self.children = []
        self.addCleanup(self._end_children)

    def _end_children(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
            child.communicate()

    # -- making a node

    def write_config(self, config, name="config.json"):
        path = self.dir / name
        path.write_text(config if isinstance(config, str) else json.dumps(config))
        return path

    def script(self, body, name="provision_start.sh"):
        """The image's provisioning script; $CONTAINERS and $RESULT contain the two paths that it needs."""
        path = self.containers / name
        path.write_text(f"CONTAINERS={self.containers}\nRESULT={self.result}\n{body}\n")
        return path

    def leave_result(self, text, complete=True):
        self.result.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            self.result.write_bytes(text)
        elif text is not None:
            self.result.write_text(text)
        if complete:
            self.complete.touch()

    def forget_result(self):
        for file in (self.result, self.complete):
            file.unlink(missing_ok=True)

    WRITE_BOTH = ('mkdir -p "$(dirname $RESULT)"; echo \'{"ExitCode":"%s","Output":"by script"}\' > $RESULT; '
                  'touch $CONTAINERS/provision.complete;')

    # -- waiting

    def until_file(self, condition):
        """Waits until a condition on files of the test's directory holds and returns its value. A missing file counts as
        not fulfilled."""
        inotify = _libc.inotify_init1(os.O_CLOEXEC)
        if inotify < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        with os.fdopen(inotify, "rb", buffering=0) as events:
            while True:
                _watch_below(inotify, self.dir)
                with contextlib.suppress(FileNotFoundError):
                    value = condition()
                    if value:
                        return value
                events.read(65536)

    # -- running the program

    def environment(self, **extra):
        env = {"PATH": f"{self.bin}:/usr/bin:/bin:/usr/sbin:/sbin", "SUNUP_ROOT": str(self.root), "TZ": "UTC"}
        env.update({k: v for k, v in extra.items() if v is not None})
        for name, value in extra.items():
            if value is None:
                env.pop(name, None)
        return env

    def start(self, *args, env=None, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        child = subprocess.Popen([PROGRAM, *map(str, args)], env=env or self.environment(), cwd=options.pop("cwd", self.dir),
                                 stdin=subprocess.DEVNULL, **options)
        self.children.append(child)
        return child

    def finish(self, child):
        stdout, stderr = child.communicate()
        self.children.remove(child)
        return Run(child.returncode, stdout or b"", stderr or b"")

    def run_program(self, *args, **options):
        return self.finish(self.start(*args, **options))

    def on_small_disk(self, directory, size, command):
        """The arguments of a command: a shell with a separate file system of this size on the directory. Skips the
        test if this machine does not allow one."""
        directory.mkdir(parents=True, exist_ok=True)
        argv = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
        mount = f'mount -t tmpfs -o {size} none "{directory}"'
        probe = subprocess.run([*argv, mount], capture_output=True)
        if probe.returncode != 0:
            self.skipTest("this machine gives us no mount namespace: " + probe.stderr.decode(errors="replace").strip())
        return [*argv, f"{mount} || exit; {command}"]

    def provision(self, *args, **options):
        return self.run_program("provision", "--provision-config", self.config, *args, **options)

    # -- the results

    def log_text(self):
        return self.log.read_text(errors="surrogateescape") if self.log.exists() else ""

    def events(self):
        if not self.events_dir.is_dir():
            return []
        return [json.loads(f.read_text()) for f in sorted(self.events_dir.iterdir())]

    def event_messages(self):
        """(task, level, message without its times) of each event, in order."""
        out = []
        for event in self.events():
            message = re.sub(rf" \| startTime={EVENT_TIME} endTime={EVENT_TIME} durationMs=\d+$", "", event["Message"])
            self.assertNotEqual(message, event["Message"], "a message ends with its times")
            out.append((event["TaskName"].removeprefix("AKS.AKSNodeController."), event["EventLevel"], message))
        return out

    def read_result(self):
        return json.loads(self.result.read_text())

    def assert_failed_fast(self, run, error):
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stdout, "")
        self.assertEqual(self.result.read_text(),
                         '{"ExitCode":"240","Error":%s,"Output":""}' % go_json(error))
        self.assertEqual(self.complete.read_text(), "")
        self.assertEqual(run.record("aks-node-controller failed")["error"], error)
        self.assertEqual(self.event_messages()[-1],
                         ("Provision", "Error", f"aks-node-controller exited with error {error}"))


def go_json(text):
    """A JSON string as the original's encoder writes it."""
    out = json.dumps(text, ensure_ascii=False)
    for plain, escaped in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u2028", "\\u2028")):
        out = out.replace(plain, escaped)
    return out


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def main():
    unittest.main(verbosity=2)
