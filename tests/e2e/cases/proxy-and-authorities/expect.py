"""Trust and proxy settings: files, the system's trust store, and the actual environment of kubelet and containerd."""

import base64
import subprocess

import pods
from controlplane import ADDRESS, DOMAIN
from proxy import Proxy

PROXY = "http://user:pr0xypassword@10.224.0.1:3128/"
NAMES = ("proxy", "first", "second")


def values(t) -> dict[str, str]:
    return {placeholder: base64.b64encode(authority(t, name)).decode()
            for placeholder, name in zip(("@PROXY_CA@", "@AUTHORITY_1@", "@AUTHORITY_2@"), NAMES)}


def authority(t, name: str) -> bytes:
    """The certificate of a CA; the same one each time it is asked for."""
    file = t.node.dir / f"{name}.crt"
    if not file.exists():
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "3650",
                        "-subj", f"/CN={name} authority", "-keyout", "/dev/null", "-out", file], check=True, capture_output=True)
    return file.read_bytes()


def drive(t):
    t.proxy = Proxy(t.cp.ns, ADDRESS, 3128, "user", "pr0xypassword", t.node.names.get)
    t.boot()


def check(t):
    pods.check(t)
    t.proxy.close()
    t.check("mcr.microsoft.com" in t.proxy.tunnels, f"containerd did not pull through the proxy: {t.proxy.tunnels}")
    t.check(not t.proxy.refused, f"the proxy refused: {t.proxy.refused}")
    t.check(not any(DOMAIN in host for host in t.proxy.tunnels), f"the API server was asked through the proxy: {t.proxy.tunnels}")
    environment = t.node.read("/etc/environment")
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
        t.check(environment.count(f"{name}={PROXY}") + environment.count(f'{name}="{PROXY}"') == 1, f"/etc/environment has not {name} once: {environment}")
    t.check(PROXY in t.node.read("/etc/apt/apt.conf.d/95proxy"), "apt does not know the proxy")
    for unit in ("kubelet.service", "containerd.service"):
        pid = t.node.run(["systemctl", "show", "--property=MainPID", "--value", unit]).stdout.strip()
        runs_with = t.node.run(["cat", f"/proc/{pid}/environ"]).stdout.split("\0")
        for variable in (f"HTTPS_PROXY={PROXY}", f"http_proxy={PROXY}"):
            t.check(variable in runs_with, f"{unit} runs without {variable}: {runs_with}")
        no_proxy = next((v for v in runs_with if v.startswith("NO_PROXY=")), "")
        t.check(".hcp.eastus.azmk8s.io" in no_proxy, f"{unit} runs with {no_proxy!r}")
    bundle = t.node.read("/etc/ssl/certs/ca-certificates.crt")
    for name in NAMES:
        t.check(authority(t, name).decode().strip() in bundle, f"the system does not trust the {name} authority")
