"""The objects of the chart are given to the API server, which validates them strictly and keeps none."""

import contextlib
import subprocess

import charts
import k8s
from resolving import create

NAMESPACE = "chart"
CHART = charts.k8s.GO.parents[2] / "packaging/helm/sunup"


def drive(t):
    create(t.cp.api, "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    with service_monitors(t):
        kinds = set()
        for name, values in charts.VARIANTS.items():
            text = charts.manifest(CHART, "rel", NAMESPACE, values).stdout
            done = apply(t, text)
            t.check(done.returncode == 0, f"{name}: the API server refuses an object: {done.stderr}")
            made, sent = len(done.stdout.splitlines()), text.count("\nkind: ")
            t.check(made == sent, f"{name}: {made} of {sent} objects were accepted: {done.stdout}")
            kinds |= {line.split("/")[0].split(".")[0] for line in done.stdout.splitlines()}
            refuses_wrong_members(t, name, text)
        wanted = {"deployment", "horizontalpodautoscaler", "networkpolicy", "poddisruptionbudget", "servicemonitor"}
        t.check(wanted <= kinds, f"no set of values has {wanted - kinds}")


def refuses_wrong_members(t, name: str, text: str):
    """The check above can fail: for each kind of object, a member that does not exist, and one of a wrong type, are refused."""
    for member, wrong in (("terminationGracePeriodSeconds:", "terminationGraceSeconds:"), ("averageUtilization: 70", "averageUtilization: much"),
                          ("policyTypes: [", "policyTypes: [Sideways, "), ("\n      scheme: https", "\n      scheme: gopher"), ("maxUnavailable: 1", "maxUnavailable: [1]")):
        if member in text:
            t.check(apply(t, text.replace(member, wrong)).returncode != 0, f"{name}: the API server accepts {wrong!r}")


@contextlib.contextmanager
def service_monitors(t):
    """The Prometheus operator's definition, which is not part of Kubernetes. It is removed, because other cases use the cluster."""
    t.cp.kubectl("apply", "--server-side", "-f", k8s.extra("servicemonitor-crd"))
    try:
        t.cp.kubectl("wait", "--for=condition=Established", "crd/servicemonitors.monitoring.coreos.com", f"--timeout={t.case.timeout:.0f}s")
        yield
    finally:
        t.cp.kubectl("delete", "crd/servicemonitors.monitoring.coreos.com", "--wait=false")


def apply(t, text: str) -> subprocess.CompletedProcess:
    argv = [*t.cp.kubectl_command(), "apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"]
    return subprocess.run(argv, input=text, capture_output=True, text=True)
