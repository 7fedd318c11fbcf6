"""A headless Chromium, driven over the WebDriver protocol: what a person with a mouse would see of a page."""

import base64
import contextlib
import json
import re
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--window-size=1400,1500", "--force-color-profile=srgb"]


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
        reply = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}, session=False)
        self.session = reply["sessionId"]

    def call(self, method: str, path: str, body=None, session=True):
        url = self.base + (f"/session/{self.session}" if session else "") + path
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        # A proxy of the machine is not for us.
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=120) as reply:
            return json.loads(reply.read())["value"]

    def open(self, page: Path):
        self.call("POST", "/url", {"url": page.resolve().as_uri()})

    def js(self, script: str, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def hover(self, x: float, y: float):
        move = {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y), "origin": "viewport"}
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}]})

    def click(self, selector: str):
        self.js("document.querySelector(arguments[0]).click()", selector)

    def dark(self, on: bool):
        command = {"cmd": "Emulation.setEmulatedMedia", "params": {"features": [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]}}
        self.call("POST", "/goog/cdp/execute", command)

    def screenshot(self, file: Path):
        file.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def log(self) -> list:
        return self.call("POST", "/se/log", {"type": "browser"})


@contextlib.contextmanager
def browser():
    with tempfile.TemporaryDirectory(prefix="sunup-chromium-") as profile:
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
            driver.terminate()
            driver.wait(30)
