"""A pod on a node, from the scheduler to its deletion. A node is complete when a pod runs on it, not when it is Ready."""

import ssl
import subprocess
import threading
import time
from dataclasses import dataclass

from controlplane import ADDRESS, DOMAIN, POD_IMAGE, ControlPlane
from kubeapi import ApiError

MEMORY = 64 << 20
NAMESPACE = "/api/v1/namespaces/default"
LOCAL_DNS = "169.254.10.10"


@dataclass
class Running:
    container: str  # its ID
    restarts: int
    address: str


class Pod:
    def __init__(self, cluster: ControlPlane, node: str, timeout: float, name: str = ""):
        self.cp, self.node, self.timeout, self.name = cluster, node, timeout, name or f"pod-{node}"

    def create(self):
        # A controller creates the namespace's service account soon after the cluster has started.
        self._until(lambda: self.cp.api.request("POST", f"{NAMESPACE}/pods", {"metadata": self._metadata(), "spec": self._spec()}), "be created")

    def create_for_later(self):
        """As part of a DaemonSet: the pod is created as soon as its node exists, like the system pods of every node."""
        body = {"metadata": {"name": self.name}, "spec": {"selector": {"matchLabels": self._metadata()["labels"]},
                                                         "template": {"metadata": {"labels": self._metadata()["labels"]}, "spec": self._spec()}}}
        self.cp.api.request("POST", "/apis/apps/v1/namespaces/default/daemonsets", body)

    def _metadata(self) -> dict:
        return {"name": self.name, "labels": {"e2e": self.name}}

    def _spec(self) -> dict:
        return {
            # The scheduler places it. A node of an external cloud provider keeps a taint until the provider has processed it.
            "nodeSelector": {"kubernetes.io/hostname": self.node},
            "tolerations": [{"operator": "Exists"}],
            "dnsPolicy": "Default",
            "terminationGracePeriodSeconds": 5,
            "containers": [{
                "name": "main", "image": POD_IMAGE, "imagePullPolicy": "IfNotPresent",
                "command": ["sh", "-c", "trap 'exit 0' TERM; echo hello from $HOSTNAME; while :; do sleep 3600 & wait $!; done"],
                "resources": {"limits": {"memory": str(MEMORY), "cpu": "500m"}},
            }],
        }

    def wait_running(self, restarts: int = 0) -> Running:
        """Waits, by watching, until the container runs and has been restarted at least this often."""
        deadline = time.monotonic() + self.timeout
        last = {}
        while time.monotonic() < deadline:
            try:
                for event in self.cp.api.watch(f"{NAMESPACE}/pods?labelSelector=e2e%3D{self.name}", deadline):
                    last = event["object"]
                    for s in last.get("status", {}).get("containerStatuses", []):
                        if s["state"].get("running") and s["ready"] and s["restartCount"] >= restarts:
                            return Running(s["containerID"], s["restartCount"], last["status"]["podIP"])
            except (OSError, ApiError):
                pass
            # Only reached after the watch broke off: give the API server a moment to restart.
            threading.Event().wait(0.1)
        raise TimeoutError(f"{self.name} does not run: {last.get('status')}\n{self._events(last.get('metadata', {}).get('name', self.name))}")

    def _events(self, name: str) -> str:
        found = self.cp.api.request("GET", f"{NAMESPACE}/events?fieldSelector=involvedObject.name%3D{name}")["items"]
        return "\n".join(f"{e.get('reason')}: {e.get('message')}" for e in found)

    def logs(self) -> str:
        return self._until(lambda: self.cp.api.request("GET", f"{NAMESPACE}/pods/{self.name}/log"), "show its log")

    def run(self, *argv: str) -> str:
        """kubectl exec: through the API server and kubelet's own server into the container."""

        def attempt() -> str:
            done = subprocess.run([*self.cp.kubectl_command(), "exec", self.name, "--", *argv], capture_output=True, text=True, timeout=60)
            if done.returncode != 0:
                raise OSError(f"kubectl exec {' '.join(argv)} ended with {done.returncode}: {done.stderr}{done.stdout}")
            return done.stdout

        return self._until(attempt, f"run {argv[0]}")

    def delete(self):
        path = f"{NAMESPACE}/pods?fieldSelector=metadata.name%3D{self.name}"
        deadline = time.monotonic() + self.timeout
        self.cp.api.request("DELETE", f"{NAMESPACE}/pods/{self.name}")
        for event in self.cp.api.watch(path, deadline):
            if event["type"] == "DELETED":
                return
        if self.cp.api.request("GET", path)["items"]:
            raise TimeoutError(f"{self.name} is not deleted within {self.timeout:.0f} s")

    def _until(self, attempt, what: str):
        """Retries until kubelet responds, because it may not have its certificate yet."""
        deadline = time.monotonic() + self.timeout
        while True:
            try:
                return attempt()
            except (ApiError, OSError, subprocess.TimeoutExpired) as e:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{self.name} does not {what}: {e}") from e
            time.sleep(0.2)


def of(t, name: str = "") -> Pod:
    """A pod for the node of a trial."""
    return Pod(t.cp, t.node.name, t.case.timeout, name)


def check(t):
    """Tests everything that a pod needs of its node, once."""
    pod = of(t)
    begin = time.monotonic()
    pod.create()
    running = pod.wait_running()
    t.times.setdefault("pod", time.monotonic() - t.node.booted_at)
    t.times["pod started in"] = time.monotonic() - begin
    look_inside(t, pod, running)
    pod.delete()


def look_inside(t, pod: Pod, running: Running):
    t.check(f"hello from {pod.name}" in pod.logs(), f"the pod's log is {pod.logs()!r}")
    limit = pod.run("sh", "-c", "cd /sys/fs/cgroup; cat memory.max 2>/dev/null || cat memory/memory.limit_in_bytes").strip()
    t.check(limit == str(MEMORY), f"the pod's memory limit is {limit}, not {MEMORY}")
    quota = pod.run("sh", "-c", "cd /sys/fs/cgroup; cat cpu.max 2>/dev/null || cat cpu/cpu.cfs_quota_us").split()[0]
    t.check(quota == "50000", f"the pod's CPU quota is {quota}, not 50000")
    t.check(running.address in pod.run("ip", "-o", "-4", "addr", "show", "dev", "eth0"), "the pod has another address than the cluster thinks")
    name = f"any.{DOMAIN}"
    answer = pod.run("nslookup", "-type=a", name)
    t.check(ADDRESS in answer, f"{name} is looked up as {answer!r}")
    t.check(not t.case.local_dns or LOCAL_DNS in answer, f"the node's DNS cache was not asked: {answer!r}")
    if t.cluster_serves():
        t.check(serving_certificate_is_the_clusters(t), "kubelet does not serve with a certificate of the cluster")


def serving_certificate_is_the_clusters(t) -> bool:
    context = ssl.create_default_context(cafile=str(t.cp.dir / "ca.crt"))
    raw = t.cp.ns.new_socket()
    raw.settimeout(20)
    try:
        raw.connect((t.node.address, 10250))
        with context.wrap_socket(raw, server_hostname=t.node.address):
            return True
    except ssl.SSLError:
        return False
    finally:
        raw.close()
