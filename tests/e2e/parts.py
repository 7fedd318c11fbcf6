"""The versions of the real components of a node: one row per generation. Every case runs on the default row.

./dev e2e --parts ROW picks another; --list shows them.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import debian

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Parts:
    name: str
    suite: str  # Debian's, for the root file system
    kubernetes: str  # the folder below go/ that pins kubelet
    newer: tuple[str, ...] = ()  # packages of the root that come from Debian's testing suite instead

    @property
    def version(self) -> str:
        """Kubelet's."""
        return version(self.kubernetes)

    @property
    def minor(self) -> int:
        return int(self.version.split(".")[1])

    def describe(self) -> str:
        newer = f" with {' and '.join(self.newer)} of {debian.TESTING}" if self.newer else ""
        return f"Debian {self.suite}{newer}, kubelet {self.version}"


# The control plane has the version of the newest row: a kubelet may be three minor versions older, but never newer.
CONTROL_PLANE = "kubernetes-1.36"
ROWS = {row.name: row for row in (
    Parts("current", "trixie", "kubernetes-1.34"),
    Parts("next", "trixie", CONTROL_PLANE, newer=("containerd", "runc")),
    Parts("older", "bookworm", "kubernetes-1.34"),
)}
DEFAULT = ROWS["current"]


def version(folder: str) -> str:
    return re.search(r"(?m)^\s*(?:require )?k8s\.io/kubernetes v(\S+)", (HERE / "go" / folder / "go.mod").read_text())[1]
