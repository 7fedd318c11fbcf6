"""The programs are pulled with tokens, an index, a redirect and a broken connection; the installed programs equal the published ones."""

import hashlib
import io
import tarfile

import k8s
from controlplane import ADDRESS, DOMAIN
from registry import Registry


def drive(t):
    t.registry = Registry(t.cp.ns, ADDRESS, 5000, t.cp.dir / "apiserver.crt", t.cp.dir / "apiserver.key",
                          f"registry.{DOMAIN}:5000", f"storage.{DOMAIN}:5000")
    t.registry.add("oss/binaries/kubernetes/kubernetes-node", f"v{t.row.version}-linux-amd64",
                   {"kubernetes-node-linux-amd64.tar.gz": published(t)}, "amd64")
    t.registry.busy = t.registry.cut = 1
    t.boot()


def programs(t) -> dict:
    return {"kubelet": k8s.kubelet(t.row), "kubectl": k8s.control_plane()}


def published(t) -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=1) as tar:
        for program, file in programs(t).items():
            tar.add(file, f"kubernetes/node/bin/{program}")
    return archive.getvalue()


def check(t):
    # kubectl is installed by a deferred step.
    t.node.wait_for_path("/opt/bin/kubectl", t.case.timeout)
    t.registry.stop()
    for program, file in programs(t).items():
        installed = hashlib.sha256(t.node.target(f"/opt/bin/{program}").read_bytes()).hexdigest()
        t.check(installed == hashlib.sha256(file.read_bytes()).hexdigest(), f"{program} is not what was published")
    files = [r for r in t.registry.requests if "/storage/" in r]
    t.check(len(files) == 2, f"one file that breaks off once takes two requests: {files}")
    journal = t.node.read("/var/log/azure/aks-node-controller.log")
    t.check("resuming after" in journal and "SHA-256 verified" in journal, "the log does not tell of the download")
    t.check("sig=1" not in journal, "the log holds the storage's signature")
