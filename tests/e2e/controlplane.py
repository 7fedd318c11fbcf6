"""A real control plane in a network namespace: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and a container registry.

One serves all cases of a run.
"""

import base64
import http.client
import itertools
import os
import secrets
import string
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import images
import k8s
import registry
from dhcp import DhcpServer
from kubeapi import Api, ApiError
from net import Namespace

ADDRESS = "10.224.0.1"  # of the API server, on the bridge that the nodes' cables end in
SERVICE = "10.0.0.1"  # of the Service kubernetes
DOMAIN = "hcp.eastus.azmk8s.io"  # every name below it is this API server
EARLY = f"not-yet-valid.{DOMAIN}"  # with this name, its certificate becomes valid next year
REGISTRY = "10.224.0.2"  # of the container registry, under all of these names
REGISTRY_NAMES = ("mcr.microsoft.com", "mcr.blob.core.windows.net", "mirror.azurecr.io")
STORAGE = "e2e.blob.core.windows.net"  # of the fabric; it has the registry's certificate
PAUSE_IMAGE = "mcr.microsoft.com/oss/v2/kubernetes/pause:3.6"
PAUSE = ["/bin/sh", "-c", "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done"]
POD_IMAGE = "mcr.microsoft.com/e2e/busybox:1"

# The controllers that a joining node needs. Not nodeipam: it delays the others by ten seconds, and the nodes' CNI already has its addresses.
CONTROLLERS = ("csrapproving", "csrsigning", "csrcleaner", "bootstrapsigner", "tokencleaner", "nodelifecycle", "serviceaccount",
               "serviceaccount-token", "root-ca-cert-publisher", "namespace", "garbagecollector", "podgc", "daemonset", "deployment", "replicaset", "endpointslice")


class ControlPlane:
    def __init__(self, directory: Path):
        self.dir = directory
        self.dir.mkdir()
        alphabet = string.ascii_lowercase + string.digits
        self.token = ".".join("".join(secrets.choice(alphabet) for _ in range(n)) for n in (6, 16))
        self.processes: dict[str, subprocess.Popen] = {}
        self.dhcp = DhcpServer(ADDRESS, 16)
        self._ports = itertools.count(1)
        self._lock = threading.Lock()
        self._issued: dict[str, tuple[str, str]] = {}

    # -- life

    def start(self):
        self.bin = k8s.control_plane().parent
        self.lay_network()
        # In memory: etcd waits for the disk at every write, and nothing here is kept after the run.
        (self.dir / "etcd").mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self.dir / "etcd"], check=True)
        self._spawn("etcd", [
            k8s.etcd(), "--name=e2e", f"--data-dir={self.dir}/etcd", "--listen-client-urls=http://127.0.0.1:2379",
            "--advertise-client-urls=http://127.0.0.1:2379", "--listen-peer-urls=http://127.0.0.1:2380", "--log-level=warn"])
        make_pki(self.dir)
        self.api = Api(self.ns, ADDRESS, self.dir / "ca.crt", self.dir / "admin.crt", self.dir / "admin.key")
        self.write_kubeconfig("admin")
        self.write_kubeconfig("controller-manager")
        self.start_apiserver()
        self._admit_bootstrap_token()
        self.registry = self._start_registry()
        threading.Thread(target=self._approve_serving_certificates, daemon=True).start()

    def lay_network(self):
        self.ns = Namespace("control-plane")
        # A bridge without its own MAC address takes one of its ports', and changes it when nodes are added or removed; other nodes would then lose the API
        # server until they resolve its address again, half a minute later.
        self.ns.ip("link", "add", "nodes", "address", "02:00:00:00:00:01", "type", "bridge")
        self.ns.ip("addr", "add", f"{ADDRESS}/16", "dev", "nodes")
        self.ns.ip("link", "set", "nodes", "up")
        # The address of the API server for pods. No node runs kube-proxy, but all send packets for other networks here.
        self.ns.ip("addr", "add", f"{SERVICE}/32", "dev", "lo")
        # Connections to the outside world are refused at once instead of being dropped silently.
        self.ns.ip("route", "add", "unreachable", "default")
        self.dhcp.start(self.ns, "nodes")
        subprocess.run(self.ns.command(["sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv4.icmp_ratelimit=0"]), check=True)

    def start_apiserver(self, timeout: float = 120):
        self._spawn("kube-apiserver", [
            self.bin / "kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", "--secure-port=443",
            f"--advertise-address={ADDRESS}", "--service-cluster-ip-range=10.0.0.0/16",
            "--authorization-mode=Node,RBAC", "--enable-bootstrap-token-auth", "--enable-admission-plugins=NodeRestriction",
            # The name of a node cannot be resolved here.
            "--kubelet-preferred-address-types=InternalIP",
            f"--client-ca-file={self.dir}/ca.crt", f"--tls-cert-file={self.dir}/apiserver.crt",
            f"--tls-private-key-file={self.dir}/apiserver.key", f"--kubelet-client-certificate={self.dir}/admin.crt",
            f"--kubelet-client-key={self.dir}/admin.key", "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self.dir}/sa.pub", f"--service-account-signing-key-file={self.dir}/sa.key",
            # With this server name, the certificate makes the clock of the node appear wrong.
            f"--tls-sni-cert-key={self.dir}/early.crt,{self.dir}/early.key:{EARLY}",
            f"--cert-dir={self.dir}"])
        deadline = time.monotonic() + timeout
        while True:
            self._check_alive("kube-apiserver")
            self._check_alive("etcd")
            try:
                self.api.request("GET", "/readyz", timeout=2)
                break
            except (OSError, ApiError) as e:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"kube-apiserver was not ready within {timeout:.0f} s: {e}\n{self.log_tail('kube-apiserver')}")
            # The API server sends no notification; polling is the only way.
            time.sleep(0.1)
        self._spawn("kube-controller-manager", [
            self.bin / "kube-controller-manager", f"--kubeconfig={self.dir}/controller-manager.kubeconfig", "--leader-elect=false",
            f"--cluster-signing-cert-file={self.dir}/ca.crt", f"--cluster-signing-key-file={self.dir}/ca.key",
            f"--root-ca-file={self.dir}/ca.crt", f"--service-account-private-key-file={self.dir}/sa.key",
            f"--controllers={','.join(CONTROLLERS)}", "--bind-address=127.0.0.1", f"--cert-dir={self.dir}"])
        self._spawn("kube-scheduler", [
            self.bin / "kube-scheduler", f"--kubeconfig={self.dir}/controller-manager.kubeconfig", "--leader-elect=false",
            "--bind-address=127.0.0.1", f"--cert-dir={self.dir}"])

    def stop_apiserver(self):
        """For cases about an API server that is away. Such a case must say "alone" in its case.json: all cases share this one.

        Its clients go too: one that is still starting gives up without an API server, and nobody would start it again.
        """
        self._kill("kube-scheduler", "kube-controller-manager", "kube-apiserver")

    def stop(self):
        self._kill("kube-scheduler", "kube-controller-manager", "kube-apiserver", "etcd")

    def _kill(self, *names: str):
        for name in names:
            if child := self.processes.pop(name, None):
                child.kill()
                child.wait()

    def _spawn(self, name: str, argv: list):
        log = open(self.dir / f"{name}.log", "ab")
        self.processes[name] = subprocess.Popen(
            self.ns.command(argv), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=self.dir,
            # kube-apiserver would otherwise try a proxy of the machine for its own services.
            env={"PATH": os.environ["PATH"], "HOME": str(self.dir)})
        log.close()

    def _check_alive(self, name: str):
        if self.processes[name].poll() is not None:
            raise RuntimeError(f"{name} ended with {self.processes[name].returncode}:\n{self.log_tail(name)}")

    def log_tail(self, name: str, lines: int = 15) -> str:
        return "\n".join((self.dir / f"{name}.log").read_text(errors="replace").splitlines()[-lines:])

    # -- what nodes and tests use

    def plug(self, node_ns: Namespace) -> int:
        """Lays a cable from the bridge to a new eth0 in the node's namespace. Returns its number, which makes the node's address."""
        with self._lock:
            number = next(self._ports)
        self.ns.ip("link", "add", f"port{number}", "type", "veth", "peer", "name", "eth0", "netns", node_ns.name)
        self.ns.ip("link", "set", f"port{number}", "master", "nodes", "up")
        return number

    def set_cable(self, number: int, plugged: bool):
        """Disconnects the cable at this end: as in a cloud, the node's link stays up and its packets are lost."""
        self.ns.ip("link", "set", f"port{number}", *(("master", "nodes") if plugged else ("nomaster",)))

    def set_link(self, number: int, up: bool):
        """The node sees its link go down and come up, as when the platform moves a VM to another network."""
        self.ns.ip("link", "set", f"port{number}", "up" if up else "down")

    def kubectl(self, *words, check=True) -> str:
        return subprocess.run([*self.kubectl_command(), *words], capture_output=True, text=True, check=check).stdout

    def issue(self, subject: str) -> tuple[str, str]:
        """A new key and a client certificate of the cluster's CA for it, both as PEM in base64."""
        with self._lock:
            if subject not in self._issued:
                self._issued[subject] = issue(self.dir, subject)
            return self._issued[subject]

    def kubectl_command(self) -> list:
        return self.ns.command([self.bin / "kubectl", f"--kubeconfig={self.dir}/admin.kubeconfig"])

    def ca_base64(self) -> str:
        return base64.b64encode((self.dir / "ca.crt").read_bytes()).decode()

    def write_kubeconfig(self, user: str):
        (self.dir / f"{user}.kubeconfig").write_text(f"""\
apiVersion: v1
kind: Config
clusters: [{{name: e2e, cluster: {{server: "https://{ADDRESS}:443", certificate-authority: {self.dir}/ca.crt}}}}]
users: [{{name: {user}, user: {{client-certificate: {self.dir}/{user}.crt, client-key: {self.dir}/{user}.key}}}}]
contexts: [{{name: e2e, context: {{cluster: e2e, user: {user}}}}}]
current-context: e2e
""")

    def _start_registry(self) -> registry.Registry:
        """The images that a pod needs, made of one static program. On a separate machine, because the API server uses port 443 of all addresses here."""
        machine = Namespace("registry")
        self.plug(machine)
        machine.ip("addr", "add", f"{REGISTRY}/16", "dev", "eth0")
        machine.ip("link", "set", "eth0", "up")
        served = registry.Registry(machine, REGISTRY, 443, self.dir / "registry.crt", self.dir / "registry.key", REGISTRY_NAMES[0], REGISTRY_NAMES[1])
        busybox = (images.ensure() / "usr/bin/busybox").read_bytes()
        tools = registry.layer({"bin/busybox": busybox}, {f"bin/{name}": "busybox" for name in ("sh", "cat", "sleep", "nslookup", "wget", "ip")})
        # The pool's default names it without v2.
        for image, command in ((PAUSE_IMAGE, PAUSE), (PAUSE_IMAGE.replace("/v2/", "/"), PAUSE), (POD_IMAGE, ["/bin/sh"])):
            repository, tag = image.removeprefix(REGISTRY_NAMES[0] + "/").rsplit(":", 1)
            served.add_image(repository, tag, tools, command, "amd64")
        return served

    def _approve_serving_certificates(self):
        """Kubelet's requests for a serving certificate, as AKS approves them."""
        path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
        while True:
            try:
                for event in self.api.watch(path, time.monotonic() + 3600):
                    request = event["object"]
                    if event["type"] == "ADDED" and request["spec"]["signerName"] == "kubernetes.io/kubelet-serving" and not request["status"]:
                        request["status"]["conditions"] = [{"type": "Approved", "status": "True", "reason": "e2e"}]
                        self.api.request("PUT", f"{path}/{request['metadata']['name']}/approval", request)
            except (OSError, ApiError, http.client.HTTPException):
                pass
            # Only reached after the watch broke off: give the API server a moment to restart.
            threading.Event().wait(0.2)

    def _admit_bootstrap_token(self):
        ident, secret = self.token.split(".")
        self.api.request("POST", "/api/v1/namespaces/kube-system/secrets", {
            "metadata": {"name": f"bootstrap-token-{ident}"}, "type": "bootstrap.kubernetes.io/token",
            "stringData": {
                "token-id": ident, "token-secret": secret, "usage-bootstrap-authentication": "true",
                "usage-bootstrap-signing": "true"}})
        approve = "system:certificates.k8s.io:certificatesigningrequests"
        for name, role, group in (
                ("bootstrap-create", "system:node-bootstrapper", "system:bootstrappers"),
                ("bootstrap-approve", f"{approve}:nodeclient", "system:bootstrappers"),
                ("renew-approve", f"{approve}:selfnodeclient", "system:nodes")):
            self.api.request("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
                "metadata": {"name": f"e2e-{name}"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}]})


NEW_KEY = ("-config", "openssl.cnf", "-addext", "subjectKeyIdentifier=hash", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
           "-noenc", "-days", "30")


def openssl(directory: Path, *words):
    subprocess.run(["openssl", *map(str, words)], cwd=directory, check=True, capture_output=True)


def issue(directory: Path, subject: str) -> tuple[str, str]:
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        key, certificate = Path(scratch, "key"), Path(scratch, "crt")
        openssl(directory, "req", "-x509", "-CA", "ca.crt", "-CAkey", "ca.key", *NEW_KEY, "-subj", subject, "-addext", "extendedKeyUsage=clientAuth",
                "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", certificate)
        return tuple(base64.b64encode(f.read_bytes()).decode() for f in (key, certificate))


def make_early_certificate(directory: Path):
    """early.crt, which becomes valid in a year. Of the commands that sign, only this one takes dates in OpenSSL 3.0."""
    (directory / "index.txt").write_text("")
    (directory / "ca.cnf").write_text(
        "[ca]\ndefault_ca = own\n[own]\ndatabase = index.txt\nserial = serial\nnew_certs_dir = .\ndefault_md = sha256\npolicy = any\nx509_extensions = ext\n"
        f"[any]\ncommonName = supplied\n[ext]\nsubjectAltName = DNS:{EARLY}\nbasicConstraints = critical,CA:FALSE\n")
    openssl(directory, "req", "-config", "openssl.cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc",
            "-subj", "/CN=kube-apiserver", "-keyout", "early.key", "-out", "early.csr")
    begin, end = (time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + days * 86400)) for days in (365, 730))
    openssl(directory, "ca", "-batch", "-config", "ca.cnf", "-rand_serial", "-notext", "-cert", "ca.crt", "-keyfile", "ca.key",
            "-startdate", begin, "-enddate", end, "-in", "early.csr", "-out", "early.crt")


def make_pki(directory: Path):
    """A CA, the certificates of all clients of the API server, and the key that signs service account tokens."""
    # Not the machine's openssl.cnf: its defaults would make every certificate a CA.
    (directory / "openssl.cnf").write_text("[req]\ndistinguished_name = dn\n[dn]\n")
    openssl(directory, "req", "-x509", *NEW_KEY, "-subj", "/CN=kubernetes-ca", "-keyout", "ca.key", "-out", "ca.crt",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature")
    for name, subject, extension in (
            ("apiserver", "/CN=kube-apiserver",
             f"subjectAltName=DNS:*.{DOMAIN},DNS:kubernetes.default.svc,IP:{ADDRESS},IP:{SERVICE},IP:127.0.0.1"),
            ("admin", "/O=system:masters/CN=admin", "extendedKeyUsage=clientAuth"),
            ("controller-manager", "/O=system:masters/CN=controller-manager", "extendedKeyUsage=clientAuth")):
        openssl(directory, "req", "-x509", "-CA", "ca.crt", "-CAkey", "ca.key", *NEW_KEY, "-subj", subject, "-addext", extension,
                "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", f"{name}.key", "-out", f"{name}.crt")
    make_early_certificate(directory)
    # The authority in the trust store of all nodes, and the registry's certificate that it signed.
    openssl(directory, "req", "-x509", *NEW_KEY, "-subj", "/CN=public-ca", "-keyout", "public.key", "-out", "public.crt",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature")
    openssl(directory, "req", "-x509", "-CA", "public.crt", "-CAkey", "public.key", *NEW_KEY, "-subj", f"/CN={REGISTRY_NAMES[0]}",
            "-addext", f"subjectAltName={','.join(f'DNS:{name}' for name in (*REGISTRY_NAMES, STORAGE))}", "-addext", "basicConstraints=critical,CA:FALSE",
            "-keyout", "registry.key", "-out", "registry.crt")
    openssl(directory, "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", "sa.key")
    openssl(directory, "pkey", "-in", "sa.key", "-pubout", "-out", "sa.pub")
