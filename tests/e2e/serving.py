"""Kubelet's own server, through the API server."""

import time

from kubeapi import ApiError


def in_effect(t, timeout: float = 60) -> dict:
    """The settings of the running kubelet. Retries until it responds, because it may not have its certificate yet."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            return t.cp.api.request("GET", f"/api/v1/nodes/{t.node.name}/proxy/configz")["kubeletconfig"]
        except (ApiError, OSError):
            if time.monotonic() > deadline:
                raise
        time.sleep(0.2)
