"""Sunup's Helm chart, rendered by Helm itself, and the sets of values that the tests render it with."""

import json
import os
import subprocess
from pathlib import Path

import k8s

# The minimum that a user has to set.
LEAST = {"image": {"repository": "registry.example/sunup"}, "tls": {"secretName": "sunup-tls"}}
VARIANTS = {
    "least": LEAST,
    "all-on": {
        "image": {"repository": "registry.example/sunup", "digest": "sha256:" + "0" * 64, "pullPolicy": "Always", "pullSecrets": [{"name": "registry"}]},
        "tls": {"secretName": "sunup-tls", "clientCASecretName": "clients"},
        "clients": [{"kind": "ServiceAccount", "name": "karpenter", "namespace": "kube-system"}, {"kind": "User", "name": "someone@example.com"},
                    {"kind": "Group", "name": "node-makers"}],
        "metricsReaders": [{"kind": "ServiceAccount", "name": "prometheus", "namespace": "monitoring"}],
        "karpenter": {"enabled": True, "settings": {"cluster-name": "demo"}},
        "results": {"url": "https://sunup.example:8443", "caSecretName": "sunup-ca"}, "imageVersions": {"2204gen2containerd": "202608.14.0"},
        "service": {"type": "LoadBalancer", "annotations": {"service.beta.kubernetes.io/azure-load-balancer-internal": "true"},
                    "loadBalancerClass": "example.com/internal", "loadBalancerSourceRanges": ["10.0.0.0/8"], "externalTrafficPolicy": "Local"},
        "serviceAccount": {"name": "own", "annotations": {"a": "b"}},
        "networkPolicy": {"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}, {"namespaceSelector": {}}]},
        "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
        "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}], "priorityClassName": "system-cluster-critical",
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "kubernetes.azure.com/mode", "operator": "In", "values": ["system"]}]}]}}},
        "podAnnotations": {"x": "y"}, "podLabels": {"team": "nodes"}, "extraArgs": ["--quiet"], "drainSeconds": 10,
        "podDisruptionBudget": {"maxUnavailable": "50%"},
    },
    "all-off": {**LEAST, "autoscaling": {"enabled": False}, "replicaCount": 1, "listenAddress": "0.0.0.0", "results": {"enabled": False}, "networkPolicy": {"enabled": False},
                "podDisruptionBudget": {"enabled": False}, "topologySpreadConstraints": [], "nodeSelector": {}},
    "own-account": {**LEAST, "serviceAccount": {"create": False, "name": "existing"}, "service": {"type": "NodePort", "nodePort": 30443},
                    "fullnameOverride": "node-maker"},
}


def program() -> Path:
    return k8s.extra("helm")


def helm(*words, text: str = "") -> subprocess.CompletedProcess:
    # Without plugins or settings of the user who runs the tests.
    return subprocess.run([str(w) for w in (program(), *words)], input=text, capture_output=True, text=True, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})


def manifest(chart: Path, release: str, namespace: str, values: dict, check: bool = True) -> subprocess.CompletedProcess:
    done = helm("template", release, chart, "--namespace", namespace, "--values", "-", text=json.dumps(values))
    if check and done.returncode != 0:
        raise RuntimeError(f"helm template ended with {done.returncode}: {done.stderr}")
    return done


def render(chart: Path, release: str, namespace: str, values: dict, check: bool = True):
    """The objects; with check=False, how Helm ended."""
    import yaml  # only the tests of the chart need it

    done = manifest(chart, release, namespace, values, check)
    return [o for o in yaml.safe_load_all(done.stdout) if o] if check else done
