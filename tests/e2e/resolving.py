"""`sunup resolve` beside the control plane: on its network, with the name that its nodes use, and with its own account."""

import base64
import json
import subprocess
import time
from pathlib import Path

from controlplane import ADDRESS
from kubeapi import ApiError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "fleet"
DNS = "10.0.0.53"  # of the cluster's DNS service: not the usual address

ACCOUNT = "node-maker"


class Resolving:
    """Reads the cluster as a controller would. Files it needs are in the node's directory."""

    def __init__(self, t):
        self.t, self.dir = t, t.node.dir
        self.url = f"https://{t.api_server}"
        (self.dir / "hosts").write_text(f"127.0.0.1 localhost\n{ADDRESS} {t.api_server}\n")
        self.settings = self.dir / "settings.yaml"

    def write_settings(self, **changes):
        """The example's settings without those that can be detected; a change to None removes a line."""
        found_out = {"kubernetes-version", "ca-bundle", "dns-service-ip", "cluster-endpoint"}
        lines = {}
        for line in (EXAMPLES / "settings.yaml").read_text().splitlines():
            name, colon, value = line.partition(": ")
            if colon and not line.startswith("#") and name not in found_out:
                lines[name] = value
        lines |= {"kubelet-bootstrap-token": self.t.cp.token, **{name.replace("_", "-"): value for name, value in changes.items()}}
        self.settings.write_text("".join(f"{name}: {value}\n" for name, value in lines.items() if value is not None))

    def open_cluster(self):
        """A DNS service and an account that may read it. Both may exist from another case."""
        api = self.t.cp.api
        system = "/api/v1/namespaces/kube-system"
        rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system"
        for path, body in (
                (f"{system}/services", {"metadata": {"name": "kube-dns"}, "spec": {"clusterIP": DNS, "ports": [{"port": 53, "protocol": "UDP"}]}}),
                (f"{system}/serviceaccounts", {"metadata": {"name": ACCOUNT}}),
                (f"{rbac}/roles", {"metadata": {"name": ACCOUNT}, "rules": [{"apiGroups": [""], "resources": ["services"], "verbs": ["get"]}]}),
                (f"{rbac}/rolebindings", {
                    "metadata": {"name": ACCOUNT}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": ACCOUNT},
                    "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": "kube-system"}]})):
            create(api, path, body)
        token = api.request("POST", f"{system}/serviceaccounts/{ACCOUNT}/token", {"spec": {}})["status"]["token"]
        (self.dir / "token").write_text(token)

    def command(self, *words) -> list:
        argv = [self.t.binaries / "sunup", "resolve", "--settings", self.settings, "--nodepool", EXAMPLES / "nodepool.yaml",
                "--nodeclass", EXAMPLES / "nodeclass.yaml", *words]
        # A separate mount namespace, so that only this process sees the name.
        inner = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', self.dir / "hosts", *argv]
        return self.t.cp.ns.command([str(word) for word in inner])

    def run(self, *words, timeout: float = 60) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=timeout, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

    def trusted(self) -> list:
        return ["--cluster", self.url, "--cluster-ca", self.t.cp.dir / "ca.crt", "--cluster-token-file", self.dir / "token"]

    def explained(self, *words) -> dict:
        """The output of `--explain`, by name."""
        done = self.run(*words, "--explain", "--format", "json")
        self.t.check(done.returncode == 0, f"resolve ended with {done.returncode}: {done.stderr}")
        return {row["name"]: row for row in json.loads(done.stdout)} | {"stderr": done.stderr}


def create(api, path: str, body: dict):
    """Creates an object, unless it exists from another case."""
    try:
        api.request("POST", path, body)
    except ApiError:
        api.request("GET", f"{path}/{body['metadata']['name']}")


def wait_until(holds, what: str, timeout: float = 60):
    """For changes that the API server does not announce; polling is the only way to detect them."""
    deadline = time.monotonic() + timeout
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {timeout:.0f} s")
        time.sleep(0.1)


def decoded(text: str) -> str:
    return base64.b64decode(text).decode()
