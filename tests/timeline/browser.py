"""A headless Chromium, driven over the WebDriver protocol: what a person with a mouse would see of a page."""

import base64
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--window-size=1400,1500", "--force-color-profile=srgb",
             # A container has 64 MB there, too little for a page of this size.
             "--disable-dev-shm-usage"]
PR_SET_CHILD_SUBREAPER = 36


def missing() -> str | None:
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return f"{program} is not installed (packages chromium, chromium-driver)"
    return None


class Browser:
    def __init__(self, driver: subprocess.Popen, port: int, profile: str):
        self.base = f"http://127.0.0.1:{port}"
        self.driver = driver
        options = {"args": [*ARGUMENTS, f"--user-data-dir={profile}"], "binary": shutil.which("chromium")}
        # A script that waits for a frame would be given up after 30 s by default, and a busy machine may take longer.
        # The log "performance" has the requests of the page.
        wanted = {"goog:chromeOptions": options, "timeouts": {"script": None}, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        reply = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}}, session=False)
        self.session = reply["sessionId"]

    def call(self, method: str, path: str, body=None, session=True):
        url = self.base + (f"/session/{self.session}" if session else "") + path
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        # A proxy of the machine is not for us.
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=120) as reply:
                return json.loads(reply.read())["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode(errors='replace')}") from error

    def open(self, page: Path | str):
        """A file, or a URL."""
        self.call("POST", "/url", {"url": page if isinstance(page, str) else page.resolve().as_uri()})

    def js(self, script: str, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_js(self, script: str, *arguments):
        """For a script that calls its last argument when it is done."""
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def cdp(self, command: str, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def press(self, *keys: str):
        """Keys of WebDriver, one after the other; several in one string are held together."""
        actions = []
        for key in keys:
            actions += [{"type": "keyDown", "value": k} for k in key] + [{"type": "keyUp", "value": k} for k in reversed(key)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def hover(self, x: float, y: float):
        move = {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y), "origin": "viewport"}
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}]})

    def click(self, selector: str):
        self.js("document.querySelector(arguments[0]).click()", selector)

    def dark(self, on: bool):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if on else "light"}])

    def screenshot(self, file: Path):
        file.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def log(self, kind: str = "browser") -> list:
        """The messages that have been logged since the last call."""
        return self.call("POST", "/se/log", {"type": kind})


def children() -> set[int]:
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if int(Path("/proc", pid, "stat").read_text().rsplit(")", 1)[1].split()[1]) == os.getpid():
                found.add(int(pid))
    return found


@contextlib.contextmanager
def no_process_left_behind():
    """Ends whatever was started inside, with all that came of it. Chromium's processes outlive it for a moment, some in a
    session of their own; as long as one of them lives it may write into the profile."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    # Processes whose parent ends become our children, instead of those of init.
    if prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    before = children()
    try:
        yield
    finally:
        while left := children() - before:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@contextlib.contextmanager
def browser():
    with tempfile.TemporaryDirectory(prefix="sunup-chromium-") as profile, no_process_left_behind():
        driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = None
            for line in driver.stdout:
                if found := re.search(r"started successfully on port (\d+)", line):
                    port = int(found[1])
                    break
            if port is None:
                raise RuntimeError("chromedriver did not start")
            made = Browser(driver, port, profile)
            try:
                yield made
            finally:
                made.call("DELETE", "")
        finally:
            driver.kill()
            driver.wait()
            driver.stdout.close()
