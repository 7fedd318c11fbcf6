"""Serves the runner inside a virtual machine: runs programs, waits for files, searches for texts. One JSON object per line.

It talks through a port of the virtual machine, so it needs no network and is there before anything else.
"""

import base64
import glob
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import inotify
import search

ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root"}


def port(name: str) -> str:
    """The device of a port. udev, which would make a link of this name, may not run yet."""
    for file in glob.glob("/sys/class/virtio-ports/*/name"):
        if Path(file).read_text().strip() == name:
            return f"/dev/{Path(file).parent.name}"
    sys.exit(f"this machine has no port {name}")


class Agent:
    def __init__(self, device: str):
        self.fd = os.open(device, os.O_RDWR | os.O_CLOEXEC)
        self.lock = threading.Lock()

    def tell(self, message: dict):
        data = json.dumps(message).encode() + b"\n"
        with self.lock:
            while data:
                data = data[os.write(self.fd, data):]

    def serve(self):
        self.tell({"event": "here"})
        threading.Thread(target=self.watch_boot, daemon=True).start()
        buffer = b""
        while data := os.read(self.fd, 65536):
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                threading.Thread(target=self.answer, args=(json.loads(line),), daemon=True).start()

    def watch_boot(self):
        """systemd sends a signal when it has started everything; it may be too early to query it now."""
        while True:
            done = subprocess.run(["systemctl", "is-system-running", "--wait"], capture_output=True, text=True, env=ENVIRONMENT)
            if done.stdout.strip() in ("running", "degraded"):
                return self.tell({"event": "booted"})
            threading.Event().wait(0.5)

    def answer(self, request: dict):
        try:
            reply = getattr(self, request["do"])(**request.get("with", {}))
        except (TimeoutError, subprocess.TimeoutExpired) as e:
            reply = {"timeout": str(e)}
        except Exception as e:
            reply = {"error": f"{type(e).__name__}: {e}"}
        self.tell({"id": request["id"], **reply})

    # -- the requests

    def run(self, argv: list[str], timeout: float) -> dict:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
                                 start_new_session=True)
        try:
            out, error = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        return {"code": child.returncode, "out": base64.b64encode(out).decode(), "error_output": base64.b64encode(error).decode()}

    def wait_for_path(self, path: str, timeout: float) -> dict:
        inotify.wait_for_path(Path(path), timeout)
        return {}

    def wait_until_gone(self, path: str, timeout: float) -> dict:
        inotify.wait_until_gone(Path(path), timeout)
        return {}

    def search(self, texts: dict[str, str], since: float) -> dict:
        wanted = {name: base64.b64decode(text) for name, text in texts.items()}
        # Every disk once, at the first place where it is mounted.
        disks: dict[int, str] = {}
        for line in Path("/proc/self/mounts").read_text().splitlines():
            _, where, kind, _ = line.split(" ", 3)
            if kind == "ext4":
                disks.setdefault(os.stat(where).st_dev, where)
        found = [(f"{root.rstrip('/')}{path}", what, mode) for root in disks.values() for path, what, mode in search.files(Path(root), wanted, since)]
        return {"files": found, "commands": search.commands(wanted)}


if __name__ == "__main__":
    Agent(port("e2e.agent")).serve()
