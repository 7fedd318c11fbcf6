"""The cache runs within its limits, runs at every boot, responds, and starts before kubelet."""


def started(t, unit: str) -> int:
    return int(t.node.run(["systemctl", "show", "--property=ActiveEnterTimestampMonotonic", "--value", unit]).stdout)


def check(t):
    t.check(started(t, "localdns.service") < started(t, "kubelet.service"), "kubelet was started before the cache was ready")
    t.check(t.node.run(["systemctl", "is-enabled", "localdns.service"], check=False).stdout.strip() == "enabled", "the cache does not come back after a reboot")
    limits = t.node.run(["systemctl", "show", "--property=MemoryMax,CPUQuotaPerSecUSec", "localdns.slice"]).stdout
    t.check(f"MemoryMax={128 << 20}" in limits and "CPUQuotaPerSecUSec=2s" in limits, f"its limits are {limits}")
    labels = t.cp.api.request("GET", f"/api/v1/nodes/{t.node.name}")["metadata"]["labels"]
    t.check(labels.get("kubernetes.azure.com/localdns-exporter") == "enabled", f"labels: {labels}")
    metrics = t.node.run(["curl", "-s", "--http0.9", "-m", "20", f"http://{t.node.address}:9353/metrics"], check=False).stdout
    t.check("localdns_up" in metrics, "its metrics are not served on the node's address")
