"""A case: a folder in cases/ that says what a node is given and what must come of it. README.md beside this file describes it."""

import base64
import importlib.util
import json
import os
import stat
import subprocess
import time
from pathlib import Path

import floor
import kubeapi
import userdata
from controlplane import DOMAIN, ControlPlane
from node import Node

HERE = Path(__file__).resolve().parent
CONTROLLER = "/opt/azure/containers/aks-node-controller"
KNOWN_KEYS = {"summary", "pending", "boot", "arguments", "config", "imds", "tags", "alone", "timeout", "expect"}
KNOWN_EXPECTATIONS = {"ready", "provision_wait", "files", "units", "journal"}


class Failure(Exception):
    """What the case promised did not happen."""


class Case:
    def __init__(self, folder: Path):
        self.name, self.folder = folder.name, folder
        text = (folder / "case.json").read_text()
        self.settings = json.loads(text)
        for unknown in [*(self.settings.keys() - KNOWN_KEYS), *(self.settings.get("expect", {}).keys() - KNOWN_EXPECTATIONS)]:
            raise ValueError(f"{folder / 'case.json'}: no such setting: {unknown}")
        self.boot = self.settings.get("boot", "provision")
        self.pending = self.settings.get("pending", "")
        self.alone = self.settings.get("alone", False)
        self.timeout = self.settings.get("timeout", 120)
        self.expect = self.settings.get("expect", {})

    def hook(self, name: str):
        """A function of the case's expect.py, if it has one."""
        file = self.folder / "expect.py"
        if not file.exists():
            return None
        spec = importlib.util.spec_from_file_location(f"case_{self.name.replace('-', '_')}", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, name, None)


def all_cases() -> list[Case]:
    return [Case(f.parent) for f in sorted((HERE / "cases").glob("*/case.json"))]


class Trial:
    """One run of a case: what expect.py's functions get to see."""

    def __init__(self, case: Case, node: Node, control_plane: ControlPlane, binaries: Path):
        self.case, self.node, self.cp, self.binaries = case, node, control_plane, binaries
        self.times: dict[str, float] = {}
        self.api_server = f"{case.name}.{DOMAIN}"

    def config_text(self) -> str:
        own = self.case.folder / "config.json"
        config = json.loads((own if own.exists() else HERE / "config.json").read_text())
        text = json.dumps(merge(config, self.case.settings.get("config", {})), indent=2)
        for placeholder, value in {
            "@CA@": self.cp.ca_base64(), "@API_SERVER@": self.api_server, "@TOKEN@": self.cp.token, "@NODE@": self.node.name,
        }.items():
            text = text.replace(placeholder, value)
        return text

    def prepare(self):
        settings = self.case.settings
        self.node.azure.tags = settings.get("tags", {})
        self.node.azure.imds_after = settings.get("imds", {}).get("after", 0)
        self.node.azure.imds.script(settings.get("imds", {}).get("script", []))
        if self.case.boot == "floor":
            floor.prepare(self.node)
        else:
            self._prepare_provision()
        files = self.case.folder / "files"
        if files.is_dir():
            subprocess.run(["cp", "-rT", "--preserve=mode", files, self.node.root], check=True)
        script = self.case.folder / "image.sh"
        if script.exists():
            subprocess.run(["bash", "-eu", script], env={**os.environ, "ROOT": str(self.node.root), "NODE": self.node.name}, check=True)

    def _prepare_provision(self):
        binary = self.binaries / "aks-node-controller"
        if not binary.exists():
            raise Failure(f"{binary} does not exist: build it first (./dev build)")
        self.node.copy_in(binary, CONTROLLER)
        config = self.config_text()
        if self.case.boot == "provision":
            encoded = base64.encodebytes(config.encode()).decode().strip()
            self.node.seed(userdata.provision_boothook(encoded, self.case.settings.get("arguments", "")))
        elif self.case.boot == "custom-data":
            file = self.node.dir / "config.json"
            file.write_text(config)
            argv = [self.binaries / "sunup", "render", "custom-data", "--config", file, "--encoding", "none"]
            self.node.seed(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)
        elif self.case.boot != "nothing":
            raise ValueError(f"{self.case.name}: boot is one of provision, custom-data, floor, nothing")

    # -- what happens, and waiting for it

    def boot(self):
        self.node.boot()

    def wait_ready(self, timeout: float | None = None) -> dict:
        timeout = timeout or self.case.timeout
        self.cp.api.wait_node(self.node.name, lambda n: True, timeout)
        self.times.setdefault("registered", time.monotonic() - self.node.booted_at)
        node = self.cp.api.wait_node(self.node.name, kubeapi.ready, timeout)
        self.times.setdefault("ready", time.monotonic() - self.node.booted_at)
        return node

    def provision_wait(self, timeout: float | None = None) -> tuple[int, str]:
        """What `aks-node-controller provision-wait` on the node says: its exit code and its output."""
        done = self.node.run([CONTROLLER, "provision-wait"], timeout=timeout or self.case.timeout, check=False)
        self.times.setdefault("provisioned", time.monotonic() - self.node.booted_at)
        return done.returncode, done.stdout

    def check(self, holds: bool, otherwise: str):
        if not holds:
            raise Failure(otherwise)

    # -- the expectations of case.json

    def run_expectations(self):
        expect = self.case.expect
        if expect.get("ready"):
            self.wait_ready()
        if "provision_wait" in expect:
            code, output = self.provision_wait()
            self.check(code == expect["provision_wait"], f"provision-wait ended with {code}, not {expect['provision_wait']}: {output[-1500:]}")
            self.check(is_json_object(output), f"provision-wait did not print a JSON object: {output[-1500:]}")
        for path, wanted in expect.get("files", {}).items():
            self._check_file(path, wanted)
        for unit, state in expect.get("units", {}).items():
            actual = self.node.unit_state(unit)
            self.check(actual == state, f"{unit} is {actual}, not {state}")
        for text in expect.get("journal", []):
            self.check(text in self.node.journal(), f"the journal does not say: {text}")
        if self.node.booted_at:
            self.times["booted"] = self.node.wait_booted(self.case.timeout)

    def _check_file(self, path: str, wanted: dict):
        file = self.node.path(path)
        if wanted.get("absent"):
            return self.check(not file.exists(), f"{path} exists")
        self.check(file.exists(), f"{path} does not exist")
        mode = f"{stat.S_IMODE(file.stat().st_mode):04o}"
        self.check(wanted.get("mode", mode) == mode, f"{path} has mode {mode}, not {wanted.get('mode')}")
        for text in wanted.get("contains", []):
            self.check(text in self.node.read(path), f"{path} does not contain {text!r}")


def merge(base, patch):
    """A JSON merge patch: objects merge, null removes, anything else replaces."""
    if not isinstance(patch, dict) or not isinstance(base, dict):
        return patch
    merged = dict(base)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(base.get(key), value)
    return merged


def is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
