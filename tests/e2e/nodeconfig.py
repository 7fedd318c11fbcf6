"""The node config of the tests: config.json beside this file, for a row of parts.py and a cluster."""

import json
from pathlib import Path

import parts
from controlplane import PAUSE_IMAGE, ControlPlane

BASE = Path(__file__).resolve().parent / "config.json"


def text(row: parts.Parts, cluster: ControlPlane, node: str, api_server: str, patch: dict = {}, values=lambda: {}, base: Path = BASE) -> str:
    """The config with what this row needs, then the patch, and with its placeholders filled in."""
    config = merge(merge(json.loads(base.read_text()), for_row(row)), patch)
    filled = json.dumps(config, indent=2)
    known = {"@CA@": cluster.ca_base64(), "@API_SERVER@": api_server, "@TOKEN@": cluster.token, "@NODE@": node, "@KUBERNETES@": row.version}
    for placeholder, value in {**known, **values()}.items():
        filled = filled.replace(placeholder, value)
    return filled


def for_row(row: parts.Parts) -> dict:
    flags = {}
    if row.minor < 35:
        flags["--pod-infra-container-image"] = PAUSE_IMAGE
    elif not cgroup_v2():
        flags["--fail-cgroupv1"] = "false"
    return {"kubelet_config": {"kubelet_flags": flags}}


def cgroup_v2() -> bool:
    """A node in a container has this machine's cgroups."""
    return Path("/sys/fs/cgroup/cgroup.controllers").exists()


def merge(base, patch):
    """A JSON merge patch: objects merge, null removes, anything else replaces."""
    if not isinstance(patch, dict) or not isinstance(base, dict):
        return patch
    merged = dict(base)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(base.get(key), value)
    return merged
