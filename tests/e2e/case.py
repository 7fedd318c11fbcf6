"""A case: a folder in cases/ that defines the input of a node and the expected result. README.md beside this file describes it."""

import base64
import copy
import functools
import importlib.util
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import azurenode
import floor
import k8s
import kubeapi
import nodeconfig
import package
import parts
import pods
import userdata
import validators
from controlplane import DOMAIN, ControlPlane
from machine import Machine

HERE = Path(__file__).resolve().parent
KNOWN_KEYS = {"summary", "boot", "arguments", "config", "imds", "tags", "names", "stops_api_server", "alone", "idle", "timeout", "parts", "vm", "needs_cgroup_v2", "programs", "by_script", "extension", "azure_disk", "expect"}
KNOWN_EXPECTATIONS = {"ready", "provision_wait", "files", "units", "journal", "failure", "unless", "may_fail"}


class Failure(Exception):
    """An expectation of the case was not met."""


class Case:
    def __init__(self, folder: Path):
        self.name, self.folder = folder.name, folder
        text = (folder / "case.json").read_text()
        self.settings = json.loads(text)
        for unknown in [*(self.settings.keys() - KNOWN_KEYS), *(self.settings.get("expect", {}).keys() - KNOWN_EXPECTATIONS)]:
            raise ValueError(f"{folder / 'case.json'}: no such setting: {unknown}")
        self.boot = self.settings.get("boot", "provision")
        self.has_agent = self.boot in ("azure", "bootstrap-agent")
        self.stops_api_server = self.settings.get("stops_api_server", False)
        self.alone = self.settings.get("alone", False)
        self.idle = self.settings.get("idle", False)
        self.timeout = self.settings.get("timeout", 120)
        self.local_dns = self.settings.get("config", {}).get("local_dns_profile", {}).get("enable_local_dns", False)
        # Programs of k8s.py that only this case needs.
        self.programs = {*self.settings.get("programs", []), *(["coredns"] if self.local_dns else [])}
        # "also": in a virtual machine too; true: only there; absent: only if it is named together with --vm.
        self.vm = self.settings.get("vm", False)
        # Its machine has a provisioning disc and a root that grows (azuredisk.py); its expect.py prepares them.
        self.azure_disk = self.settings.get("azure_disk", False)
        self.needs_cgroup_v2 = self.settings.get("needs_cgroup_v2", False)
        self.rows = self._rows(self.settings.get("parts", parts.DEFAULT.name))
        self.expect = self.settings.get("expect", {})
        for unknown in set(self.expect.get("unless", [])) - validators.names():
            raise ValueError(f"{folder / 'case.json'}: no such validator: {unknown}")

    @staticmethod
    def _rows(setting: str) -> list[parts.Parts]:
        """The rows of parts.py that it runs on by default, the usual one first."""
        return list(parts.ROWS.values()) if setting == "all" else [parts.ROWS[setting]]

    def runs_on(self, row: parts.Parts) -> bool:
        """A case that names a row other than the default depends on it."""
        return row in self.rows or self.rows == [parts.DEFAULT]

    def slowed(self, times: float) -> "Case":
        """The same with longer timeouts."""
        slow = copy.copy(self)
        slow.timeout = self.timeout * times
        return slow

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
    """One run of a case, as passed to the functions of expect.py."""

    def __init__(self, case: Case, row: parts.Parts, node: Machine, control_plane: ControlPlane, binaries: Path):
        self.case, self.row, self.node, self.cp, self.binaries = case, row, node, control_plane, binaries
        self.times: dict[str, float] = {}
        self.api_server = f"{node.name}.{DOMAIN}"

    def config_text(self) -> str:
        own = self.case.folder / "config.json"
        return nodeconfig.text(self.row, self.node.cgroup_v2, self.cp, self.node.name, self.api_server, self.case.settings.get("config", {}),
                               lambda: self._values, own if own.exists() else nodeconfig.BASE)

    def command_text(self) -> str:
        """The command that a control plane would send for the config; the case's own command(t, text) may change it."""
        file = self.node.dir / "config.json"
        file.write_text(self.config_text())
        writer = [sys.executable, "-B", HERE.parent / "nbc/command.py", self.binaries / "sunup", file, "2.1.0" if "containerd" in self.row.newer else "1.7.24"]
        text = subprocess.run(writer, check=True, capture_output=True, text=True).stdout
        change = self.case.hook("command")
        return change(self, text) if change else text

    @functools.cached_property
    def _values(self) -> dict[str, str]:
        """The values of the case's own placeholders."""
        key, certificate = self.cp.issue(f"/O=system:nodes/CN=system:node:{self.node.name}")
        own = self.case.hook("values")
        return {"@CLIENT_KEY@": key, "@CLIENT_CERTIFICATE@": certificate, **(own(self) if own else {})}

    def config(self) -> dict:
        return json.loads(self.config_text())

    def prepare(self):
        settings = self.case.settings
        if self.case.has_agent:
            azurenode.enter_fabric(self.node)
        self.node.azure.tags = settings.get("tags", {})
        self.node.names |= {name.replace("@API_SERVER@", self.api_server): address for name, address in settings.get("names", {}).items()}
        self.node.azure.imds_after = settings.get("imds", {}).get("after", 0)
        self.node.azure.imds.script(settings.get("imds", {}).get("script", []))
        if self.case.boot == "floor":
            floor.prepare(self.node, self.row)
        else:
            self._prepare_provision()
        if self.case.local_dns:
            self.node.copy_in(k8s.extra("coredns"), "/opt/azure/containers/localdns/binary/coredns")
        files = self.case.folder / "files"
        if files.is_dir():
            subprocess.run(["cp", "-rT", "--preserve=mode", files, self.node.root], check=True)
        script = self.case.folder / "image.sh"
        if script.exists():
            subprocess.run(["bash", "-eu", script], env={**os.environ, "ROOT": str(self.node.root), "NODE": self.node.name, "KUBERNETES": self.row.version}, check=True)

    def _prepare_provision(self):
        package.install(self.node, self.binaries, units=self.case.boot not in ("provision", "nothing"))
        if self.case.boot == "provision":
            encoded = base64.encodebytes(self.config_text().encode()).decode().strip()
            self.node.seed(userdata.provision_boothook(encoded, self.case.settings.get("arguments", "")))
        elif self.case.boot == "custom-data":
            self.node.seed("")
            self.node.write("/var/lib/cloud/seed/nocloud/user-data", self.custom_data(), 0o600)
        elif self.case.boot == "command":
            self.node.seed(userdata.command_boothook(self.command_text()))
        elif self.case.boot == "bootstrap":
            self.switch_cloud_init_off(self.custom_data())
        elif self.case.has_agent:
            by_imds = self.case.settings.get("imds", {}).get("user_data", False)
            prepare = azurenode.prepare if self.case.boot == "azure" else azurenode.prepare_without_cloud_init
            prepare(self.node, *((b"", self.custom_data()) if by_imds else (self.custom_data(), b"")))
            if self.case.settings.get("extension", True):
                self.node.azure.run(self.cse_command())
        elif self.case.boot != "nothing":
            raise ValueError(f"{self.case.name}: boot is one of provision, custom-data, command, bootstrap, bootstrap-agent, azure, floor, nothing")

    def custom_data(self, *options: str) -> bytes:
        """The output of `sunup render custom-data` for the case's config and its hooks."""
        file = self.node.dir / "config.json"
        file.write_text(self.config_text())
        hooks = sorted((self.case.folder / "hooks").glob("*.json"))
        argv = [self.binaries / "sunup", "render", "custom-data", "--config", file, "--encoding", "none", *options, *(["--hook", *hooks] if hooks else [])]
        return subprocess.run(argv, check=True, capture_output=True).stdout

    def cse_command(self) -> str:
        """The command of the node's script extension."""
        return subprocess.run([self.binaries / "sunup", "render", "cse"], check=True, capture_output=True, text=True).stdout.strip()

    def switch_cloud_init_off(self, custom_data: bytes):
        package.replace_cloud_init(self.node)
        package.seed(self.node, custom_data)

    # -- events, and waiting for them

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
        """The exit code and output of `aks-node-controller provision-wait` on the node."""
        done = self.node.run([package.CONTROLLER, "provision-wait"], timeout=timeout or self.case.timeout, check=False)
        # The time when it appeared, which may be long before this call.
        asked = time.monotonic() - self.node.booted_at
        marker = "/opt/azure/containers/provision.complete"
        self.times.setdefault("provisioned", asked - (time.time() - self.node.modified(marker)) if self.node.exists(marker) else asked)
        return done.returncode, done.stdout

    def expect_failure(self, exit_code: int, says: list[str] = (), within: float = 0):
        """Provisioning fails in time, and its result contains the reason. None of its files contains a secret."""
        self.node.wait_for_path("/opt/azure/containers/provision.complete", within or self.case.timeout)
        self.times["failed"] = time.monotonic() - self.node.booted_at
        status = json.loads(self.node.read("/var/log/azure/aks/provision.json"))
        self.check(status["ExitCode"] == str(exit_code), f"the exit code is {status['ExitCode']}, not {exit_code}: {json.dumps(status)[-3000:]}")
        for text in says:
            self.check(text.lower() in json.dumps(status).lower(), f"the result does not say {text!r}: {json.dumps(status)[-3000:]}")
        code, _ = self.provision_wait()
        self.check(code == 1, f"provision-wait ended with {code} although the provision failed")
        if wrong := list(validators.secrets(self)):
            raise Failure("\n".join(wrong))

    def check(self, holds: bool, otherwise: str):
        if not holds:
            raise Failure(otherwise)

    # -- the expectations of case.json

    def run_expectations(self):
        expect = self.case.expect
        if expect.get("ready"):
            self.wait_ready()
        if failure := expect.get("failure"):
            self.expect_failure(**failure)
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
        # A node whose provisioning failed may never become idle; some cases boot none.
        if self.node.booted_at and not expect.get("failure"):
            self.times["booted"] = self.node.wait_booted(self.case.timeout)
        if expect.get("ready") and self.case.boot != "floor":
            self.validate(expect.get("unless", []))

    def finish(self):
        """A node that is expected to be Ready runs a pod at the end, regardless of what happened before."""
        if self.case.expect.get("ready") and "pod" not in self.times:
            pods.check(self)

    def cluster_serves(self) -> bool:
        """Whether the cluster issues the certificate that kubelet serves with."""
        return self.case.boot not in ("floor", "nothing") and validators.rotation(self)

    def validate(self, unless: list[str] = ()):
        """The checks that apply to every provisioned node (validators.py)."""
        built_in = "--mode scripts" not in self.case.settings.get("arguments", "") and not self.case.settings.get("by_script", False)
        # Even if the controller was interrupted meanwhile: it, or its next start, completes the deferred work.
        self.node.wait_until_gone("/opt/azure/containers/.provision.unfinished", self.case.timeout)
        if wrong := validators.problems(self, built_in, unless):
            raise Failure("\n".join(wrong))

    def _check_file(self, path: str, wanted: dict):
        file = self.node.target(path)
        if wanted.get("absent"):
            return self.check(not file.exists(), f"{path} exists")
        self.check(file.exists(), f"{path} does not exist")
        mode = f"{stat.S_IMODE(file.stat().st_mode):04o}"
        self.check(wanted.get("mode", mode) == mode, f"{path} has mode {mode}, not {wanted.get('mode')}")
        for text in wanted.get("contains", []):
            self.check(text in self.node.read(path), f"{path} does not contain {text!r}")


def is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
