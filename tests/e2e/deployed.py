"""`sunup serve` as users run it: the image in a registry, the chart installed by Helm, pods on a node, clients with tokens."""

import base64
import http.client
import json
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import charts
import sandbox
from balancer import Balancer
from controlplane import ADDRESS, NEW_KEY, REGISTRY_NAMES, openssl
from resolving import create

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "packaging"))
import container  # noqa: E402

NAMESPACE, RELEASE = "sunup", "sunup"
NAME, PORT = "sunup.example", 8444  # the name that nodes and clients use
CLIENT, READER = "node-maker", "prometheus"


class Deployed:
    """One installation. t is the trial whose node runs the pods."""

    def __init__(self, t):
        self.t, self.cp, self.dir = t, t.cp, t.node.dir
        self.balancer: Balancer | None = None
        self.values = {
            "image": {"repository": f"{REGISTRY_NAMES[0]}/sunup"}, "tls": {"secretName": "sunup-tls"}, "autoscaling": {"enabled": False},
            "clients": [{"kind": "ServiceAccount", "name": CLIENT, "namespace": NAMESPACE}],
            "metricsReaders": [{"kind": "ServiceAccount", "name": READER, "namespace": NAMESPACE}],
            # The node has the taint of a cloud provider that has not seen it yet.
            "tolerations": [{"operator": "Exists"}], "nodeSelector": {"kubernetes.io/hostname": t.node.name},
            "service": {"type": "NodePort"},
            "results": {"url": f"https://{NAME}:{PORT}", "caSecretName": "sunup-ca"}}

    def install(self):
        self._publish()
        api = self.cp.api
        # The API server refuses pods that are not restricted.
        create(api, "/api/v1/namespaces", {"metadata": {"name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
        self._issue()
        files = {f"tls.{kind}": base64.b64encode((self.dir / f"service.{kind}").read_bytes()).decode() for kind in ("crt", "key")}
        create(api, f"/api/v1/namespaces/{NAMESPACE}/secrets", {"metadata": {"name": "sunup-tls"}, "type": "kubernetes.io/tls", "data": files})
        authority = base64.b64encode((self.dir / "service-ca.crt").read_bytes()).decode()
        create(api, f"/api/v1/namespaces/{NAMESPACE}/secrets", {"metadata": {"name": "sunup-ca"}, "data": {"ca.crt": authority}})
        for account in (CLIENT, READER, "stranger"):
            create(api, f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts", {"metadata": {"name": account}})
        # Pods are reached through their node, as on a network whose routes the cloud knows.
        self.cp.ns.ip("route", "replace", "10.244.0.0/24", "via", self.t.node.address)
        self.balancer = Balancer(self.cp, NAMESPACE, RELEASE, ADDRESS, PORT)
        self.apply()
        self.balancer.wait_ready(2, self.t.case.timeout)

    def remove(self):
        """Removes it, because other cases use the cluster after this one."""
        if self.balancer:
            self.balancer.stop()
            self.cp.ns.ip("route", "del", "10.244.0.0/24")
        self._helm("uninstall", RELEASE, "--ignore-not-found")
        self.cp.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found", "--wait=false")

    def _publish(self):
        """The image, packed as for users, in the registry."""
        directory = sandbox.run_dir() / "image"
        subprocess.run([REPO / "packaging/build", self.t.binaries, directory, "--only", "oci,chart", "--fast"], check=True, capture_output=True)
        self.chart = next(directory.glob("sunup-*.tgz"))
        self.cp.registry.add_layout("sunup", container.read(next(directory.glob("*.oci.tar")).read_bytes()))

    def _issue(self):
        """A certificate of an authority that no node image knows."""
        certificate, key = self.dir / "service-ca.crt", self.dir / "service-ca.key"
        openssl(self.cp.dir, "req", "-x509", *NEW_KEY, "-subj", "/CN=service-ca", "-keyout", key, "-out", certificate,
                "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,digitalSignature")
        openssl(self.cp.dir, "req", "-x509", "-CA", certificate, "-CAkey", key, *NEW_KEY, "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
                "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", self.dir / "service.key", "-out", self.dir / "service.crt")

    def apply(self, **changes):
        """`helm upgrade --install --wait`: returns when every pod is of this version and ready."""
        self.values |= changes
        file = self.dir / "values.json"
        file.write_text(json.dumps(self.values))
        done = self._helm("upgrade", "--install", RELEASE, self.chart, "--values", file, "--wait", f"--timeout={self.t.case.timeout:.0f}s")
        self.t.check(done.returncode == 0, f"helm ended with {done.returncode}: {done.stderr[-2000:]}\n{self.describe()}")

    def _helm(self, *words) -> subprocess.CompletedProcess:
        argv = self.cp.ns.command([charts.program(), *words, "--namespace", NAMESPACE, f"--kubeconfig={self.cp.dir}/admin.kubeconfig"])
        return subprocess.run([str(w) for w in argv], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(self.dir)})

    def describe(self) -> str:
        pods = self.cp.kubectl("--namespace", NAMESPACE, "describe", "pods", check=False)
        return pods[-4000:] + self.cp.kubectl("--namespace", NAMESPACE, "logs", "--selector=app.kubernetes.io/name=sunup", "--tail=20", check=False)

    def pods(self) -> dict[str, str]:
        """Name to UID of the pods that are not ending."""
        found = self.cp.api.request("GET", f"/api/v1/namespaces/{NAMESPACE}/pods?labelSelector=app.kubernetes.io%2Fname%3Dsunup")["items"]
        return {p["metadata"]["name"]: p["metadata"]["uid"] for p in found if "deletionTimestamp" not in p["metadata"]}

    def token(self, account: str = CLIENT) -> str:
        return self.cp.api.request("POST", f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{account}/token", {"spec": {}})["status"]["token"]

    def connect(self, timeout: float = 30) -> http.client.HTTPSConnection:
        context = ssl.create_default_context(cafile=str(self.dir / "service-ca.crt"))
        raw = self.cp.ns.new_socket()
        raw.settimeout(timeout)
        try:
            raw.connect((ADDRESS, PORT))
            connection = http.client.HTTPSConnection(NAME, PORT, timeout=timeout)
            connection.sock = context.wrap_socket(raw, server_hostname=NAME)
        except BaseException:
            raw.close()
            raise
        return connection

    def ask(self, method: str, path: str, body: str | None = None, token: str = "") -> tuple[int, str]:
        connection = self.connect()
        try:
            connection.request(method, path, body, {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()


class Load:
    """Clients that send the same request repeatedly; a failed request is repeated once, after `wait` seconds. Half of them keep their connection.

    If a pod is killed, `wait` must be as long as docs/service-on-kubernetes.md says: kube-proxy and a load balancer choose a pod at random and
    learn only later that one is gone, so a client that repeats its request at once may meet it again."""

    def __init__(self, service: Deployed, path: str, body: str, wait: float = 0, clients: int = 4):
        self.service, self.path, self.body, self.token, self.wait = service, path, body, service.token(), wait
        self.sent = self.again = 0
        self.lost: list[str] = []
        self._end = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._run, args=(i % 2 == 0,), daemon=True) for i in range(clients)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        for thread in self._threads:
            thread.join(60)

    def wait_for(self, more: int, timeout: float = 60):
        """Until this many more requests were sent."""
        deadline, start = time.monotonic() + timeout, self.sent
        while self.sent < start + more:
            if time.monotonic() > deadline:
                raise TimeoutError(f"only {self.sent - start} of {more} requests in {timeout:.0f} s")
            time.sleep(0.05)

    def _run(self, keep: bool):
        connection = None
        while not self._end.is_set():
            for attempt in range(2):
                try:
                    if connection is None:
                        connection = self.service.connect()
                    connection.request("POST", self.path, self.body, {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"})
                    answer = connection.getresponse()
                    answer.read()
                    if answer.status != 200:
                        raise OSError(f"status {answer.status}")
                    if not keep or answer.will_close:
                        connection.close()
                        connection = None
                    break
                except (OSError, http.client.HTTPException) as e:
                    if connection is not None:
                        connection.close()
                    connection = None
                    with self._lock:
                        if attempt == 0:
                            self.again += 1
                        else:
                            self.lost.append(repr(e))
                    if attempt == 0:
                        time.sleep(self.wait)
            with self._lock:
                self.sent += 1
