"""Kubelet's own server, asked through the API server."""

import time

from kubeapi import ApiError


def approve(t, timeout: float = 60):
    """Approves the node's request for a serving certificate, as AKS does; the request comes by itself."""
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    deadline = time.monotonic() + timeout
    for event in t.cp.api.watch(path, deadline):
        request = event["object"]
        if request["spec"]["signerName"] == "kubernetes.io/kubelet-serving" and request["spec"]["username"] == f"system:node:{t.node.name}":
            t.cp.kubectl("certificate", "approve", request["metadata"]["name"])
            return
    raise TimeoutError(f"{t.node.name} asked for no serving certificate")


def in_effect(t, timeout: float = 60) -> dict:
    """The settings kubelet runs with. It may still be taking up its certificate, so it is asked until it answers."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            return t.cp.api.request("GET", f"/api/v1/nodes/{t.node.name}/proxy/configz")["kubeletconfig"]
        except (ApiError, OSError):
            if time.monotonic() > deadline:
                raise
        time.sleep(0.2)
