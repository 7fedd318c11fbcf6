"""The objects of the chart are given to the API server, which validates them strictly and keeps none."""

import subprocess

import charts
from resolving import create

NAMESPACE = "chart"
CHART = charts.k8s.GO.parents[2] / "packaging/helm/sunup"


def drive(t):
    create(t.cp.api, "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    for name, values in charts.VARIANTS.items():
        # The Prometheus operator's resource is not part of Kubernetes.
        known = {k: v for k, v in values.items() if k != "serviceMonitor"}
        text = charts.manifest(CHART, "rel", NAMESPACE, known).stdout
        done = apply(t, text)
        t.check(done.returncode == 0, f"{name}: the API server refuses an object: {done.stderr}")
        made, sent = len(done.stdout.splitlines()), text.count("\nkind: ")
        t.check(made == sent, f"{name}: {made} of {sent} objects were accepted: {done.stdout}")
    # The check can fail: a field that does not exist is refused.
    broken = text.replace("terminationGracePeriodSeconds:", "terminationGraceSeconds:")
    t.check(apply(t, broken).returncode != 0, "the API server accepts a field that does not exist")


def apply(t, text: str) -> subprocess.CompletedProcess:
    argv = [*t.cp.kubectl_command(), "apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"]
    return subprocess.run(argv, input=text, capture_output=True, text=True)
