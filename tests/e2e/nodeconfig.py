"""The node config of the tests: config.json beside this file, for a row of parts.py and a cluster."""

import json
from pathlib import Path

import parts
from controlplane import PAUSE_IMAGE, ControlPlane

BASE = Path(__file__).resolve().parent / "config.json"


def text(row: parts.Parts, cgroup_v2: bool, cluster: ControlPlane, node: str, api_server: str, patch: dict = {}, values=lambda: {}, base: Path = BASE) -> str:
    """The config with everything that a node of this row and kind needs, then the patch, and with its placeholders filled in."""
    config = merge(merge(json.loads(base.read_text()), for_node(row, cgroup_v2)), patch)
    filled = json.dumps(config, indent=2)
    known = {"@CA@": cluster.ca_base64(), "@API_SERVER@": api_server, "@TOKEN@": cluster.token, "@NODE@": node, "@KUBERNETES@": row.version}
    for placeholder, value in {**known, **values()}.items():
        filled = filled.replace(placeholder, value)
    return filled


def for_node(row: parts.Parts, cgroup_v2: bool) -> dict:
    flags = {}
    if row.minor < 35:
        flags["--pod-infra-container-image"] = PAUSE_IMAGE
    elif not cgroup_v2:
        flags["--fail-cgroupv1"] = "false"
    return {"needs_cgroupv2": cgroup_v2, "kubelet_config": {"kubelet_flags": flags}}


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
