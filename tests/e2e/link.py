"""The runner's end of a virtual machine's ports: requests to its agent, notifications of started programs, access to its files."""

import base64
import json
import socket
import subprocess
import threading
import time
from pathlib import Path

import executions
import search


def connect(path: Path) -> socket.socket:
    s = socket.socket(socket.AF_UNIX)
    s.connect(str(path))
    return s


class Agent:
    """Several threads can send requests at once; each waits for its own response (guest/agent.py)."""

    def __init__(self, path: Path):
        self._socket = connect(path)
        self._news = threading.Condition()
        self._answers: dict[int, dict] = {}
        self._next = 0
        self.events: dict[str, float] = {}  # events that the agent reported on its own, with their times
        self.gone = False
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        try:
            for line in self._socket.makefile("rb"):
                message = json.loads(line)
                with self._news:
                    if "event" in message:
                        self.events.setdefault(message["event"], time.monotonic())
                    else:
                        self._answers[message["id"]] = message
                    self._news.notify_all()
        except (OSError, ValueError):
            pass  # the machine was switched off, possibly in the middle of a line
        with self._news:
            self.gone = True
            self._news.notify_all()

    def wait_event(self, name: str, timeout: float) -> bool:
        with self._news:
            self._news.wait_for(lambda: name in self.events or self.gone, timeout)
            return name in self.events

    def ask(self, what: str, patience: float, **arguments) -> dict:
        """The agent handles a timeout in the arguments itself; an agent that does not respond at all gets a little more time."""
        with self._news:
            self._next += 1
            number = self._next
        line = json.dumps({"id": number, "do": what, "with": arguments}).encode() + b"\n"
        self._socket.sendall(line)
        with self._news:
            self._news.wait_for(lambda: number in self._answers or self.gone, patience + 30)
            answer = self._answers.pop(number, None)
        if answer is None:
            raise TimeoutError(f"the machine {'went off' if self.gone else 'does not answer'}: {what} {arguments}")
        if "timeout" in answer:
            raise TimeoutError(answer["timeout"])
        if "error" in answer:
            raise OSError(answer["error"])
        return answer

    def run(self, argv: list[str], timeout: float) -> subprocess.CompletedProcess:
        answer = self.ask("run", timeout, argv=[str(word) for word in argv], timeout=timeout)
        out, error = (base64.b64decode(answer[key]).decode(errors="replace") for key in ("out", "error_output"))
        return subprocess.CompletedProcess(argv, answer["code"], out, error)

    def search(self, texts: dict[str, bytes], since: float, timeout: float) -> search.Found:
        encoded = {name: base64.b64encode(text).decode() for name, text in texts.items()}
        answer = self.ask("search", timeout, texts=encoded, since=since)
        return search.Found([tuple(f) for f in answer["files"]], [tuple(c) for c in answer["commands"]])

    def close(self):
        self._socket.close()


class Programs(executions.Programs):
    """Notifications from guest/watch.py. May be created before the machine is on."""

    def __init__(self, families: bool):
        super().__init__()
        self.word = f"e2e.executions={'families' if families else 'starts'}"
        self._socket: socket.socket | None = None

    def connect(self, path: Path):
        self._socket = connect(path)
        threading.Thread(target=self._listen, args=(self._socket,), daemon=True).start()

    def _listen(self, stream: socket.socket):
        try:
            for line in stream.makefile("rb"):
                self.saw(*json.loads(line))
        except (OSError, ValueError):
            pass  # switched off

    def close(self):
        if self._socket:
            try:
                self._socket.sendall(b".")
            except OSError:
                pass  # switched off


class Files:
    """The machine's files as a directory of this machine."""

    def __init__(self, path: Path, where: Path):
        self.where = where
        self._socket = connect(path)
        # Nothing is cached: the node changes its files meanwhile. direct_io: files in /proc have no size.
        options = "passive,direct_io,dir_cache=no,attr_timeout=0,entry_timeout=0,negative_timeout=0"
        # Newer ones hide links that lead anywhere else; Machine.target() follows them as the node does.
        if "no_contain_symlinks" in subprocess.run(["sshfs", "--help"], capture_output=True, text=True).stdout:
            options += ",no_contain_symlinks"
        with open(path.parent / "sshfs.log", "ab") as log:
            self._sshfs = subprocess.Popen(["sshfs", "-f", "-o", options, "node:/", str(where)], stdin=self._socket, stdout=self._socket, stderr=log)

    def wait(self, timeout: float) -> bool:
        """Waits until the machine serves them. The kernel blocks a process that looks before; therefore a separate process looks, which can be killed."""
        try:
            return subprocess.run(["stat", self.where / "etc"], capture_output=True, timeout=timeout).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def close(self):
        self._sshfs.kill()
        self._sshfs.wait()
        subprocess.run(["umount", "--lazy", self.where], check=False, stderr=subprocess.DEVNULL)
        self._socket.close()
