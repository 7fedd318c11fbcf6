"""The same way as in the case `service`, without a chart, an image and Karpenter's programs: `sunup serve` runs beside the API server."""

import contextlib
import json
import subprocess

import case
import images
import package
import validators
from controlplane import ADDRESS, NEW_KEY, openssl
from node import Node
from resolving import create, wait_until
from results import Witness, check_failure, check_success, claim, failing_config

NAME, PORT = "results.example", 8445
# What the service and `kubectl describe` need of Karpenter's definition; the case `service` has all of it.
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "nodeclaims.karpenter.sh"}, "spec": {
        "group": "karpenter.sh", "scope": "Cluster",
        "names": {"kind": "NodeClaim", "listKind": "NodeClaimList", "plural": "nodeclaims", "singular": "nodeclaim"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


def drive(t):
    with claims(t), served(t), other_node(t) as failing:
        witness = start(t, failing, failing_config(failing))
        start(t, t, t.config())
        t.wait_ready()
        check_success(t, t)
        if wrong := list(validators.secrets(t)):
            raise case.Failure("\n".join(wrong))
        check_failure(t, failing, witness)


@contextlib.contextmanager
def claims(t):
    """The API of NodeClaims. It is removed, because another case brings Karpenter's own definition."""
    create(t.cp.api, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)
    try:
        t.cp.kubectl("wait", "--for=condition=Established", "crd/nodeclaims.karpenter.sh", f"--timeout={t.case.timeout:.0f}s")
        yield
    finally:
        t.cp.kubectl("delete", "crd/nodeclaims.karpenter.sh", "--wait=false")


def start(t, other, config: dict) -> Witness:
    """Boots a node with custom data for the config, which has the address for results."""
    claim(t, other.node.name)
    other.node.names[NAME] = ADDRESS
    file = other.node.dir / "config.json"
    file.write_text(json.dumps(config))
    argv = [t.binaries / "sunup", "render", "custom-data", "--config", file, "--encoding", "none", f"--results-url=https://{NAME}:{PORT}",
            f"--results-ca={t.node.dir}/results-ca.crt"]
    package.install(other.node, t.binaries)
    other.node.seed("")
    other.node.write("/var/lib/cloud/seed/nocloud/user-data", subprocess.run(argv, check=True, capture_output=True).stdout, 0o600)
    witness = Witness(t, other.node.name)
    other.boot()
    return witness


@contextlib.contextmanager
def other_node(t):
    node = Node(f"{t.node.name}-2", [images.kubernetes_layer(t.row), images.ensure(t.row)], t.cp, t.node.dir.parent / f"{t.node.name}-2")
    try:
        yield case.Trial(t.case, t.row, node, t.cp, t.binaries)
    finally:
        node.remove()


@contextlib.contextmanager
def served(t):
    """`sunup serve` with TLS, a certificate that no image trusts, and an account of the cluster."""
    authority, key = t.node.dir / "results-ca.crt", t.node.dir / "results-ca.key"
    certificate = t.node.dir / "results.crt", t.node.dir / "results.key"
    openssl(t.cp.dir, "req", "-x509", *NEW_KEY, "-subj", "/CN=results-ca", "-keyout", key, "-out", authority,
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,digitalSignature")
    openssl(t.cp.dir, "req", "-x509", "-CA", authority, "-CAkey", key, *NEW_KEY, "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
            "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", certificate[1], "-out", certificate[0])
    argv = [t.binaries / "sunup", "serve", f"--address={ADDRESS}", f"--port={PORT}", f"--tls-certificate={certificate[0]}", f"--tls-key={certificate[1]}",
            f"--cluster=https://{ADDRESS}:443", f"--cluster-ca={t.cp.dir}/ca.crt", f"--cluster-token-file={account(t)}"]
    with open(t.node.dir / "serve.log", "wb") as log:
        server = subprocess.Popen([str(w) for w in t.cp.ns.command(argv)], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        wait_until(lambda: listens(t), "sunup serve listens")
        yield
    finally:
        server.terminate()
        server.wait(t.case.timeout)


def listens(t) -> bool:
    with t.cp.ns.new_socket() as socket:
        return socket.connect_ex((ADDRESS, PORT)) == 0


def account(t):
    """The account of the service; nodes with a bootstrap token may report results."""
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    create(t.cp.api, "/api/v1/namespaces/kube-system/serviceaccounts", {"metadata": {"name": "results"}})
    for name, rules, subject in (
            ("results-service", [
                {"apiGroups": ["authentication.k8s.io"], "resources": ["tokenreviews"], "verbs": ["create"]},
                {"apiGroups": ["authorization.k8s.io"], "resources": ["subjectaccessreviews"], "verbs": ["create"]},
                {"apiGroups": ["karpenter.sh"], "resources": ["nodeclaims"], "verbs": ["get", "patch"]},
                {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "patch"]},
                {"apiGroups": [""], "resources": ["events"], "verbs": ["create"]}],
             {"kind": "ServiceAccount", "name": "results", "namespace": "kube-system"}),
            ("results-node", [{"nonResourceURLs": ["/v1/nodes/*"], "verbs": ["post"]}],
             {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:bootstrappers"})):
        create(t.cp.api, f"{rbac}/clusterroles", {"metadata": {"name": name}, "rules": rules})
        create(t.cp.api, f"{rbac}/clusterrolebindings", {
            "metadata": {"name": name}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}, "subjects": [subject]})
    file = t.node.dir / "results.token"
    file.write_text(t.cp.api.request("POST", "/api/v1/namespaces/kube-system/serviceaccounts/results/token", {"spec": {}})["status"]["token"])
    return file
