"""Our package on a node's disk: the program, where images and the custom script extension look for it, and its units."""

import subprocess
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
CONTROLLER = "/opt/azure/containers/aks-node-controller"
UNITS = ("aks-node-controller.service", "aks-node-controller.path")


def install(node, binaries: Path, units: bool = True):
    """As the Debian package does it (tools/dev/package.sh), while the node is off. Without units nothing starts by itself."""
    program = binaries / "aks-node-controller"
    if not program.exists():
        raise RuntimeError(f"{program} does not exist: build it first (./dev build)")
    node.copy_in(program, "/usr/bin/aks-node-controller")
    link = node.path(CONTROLLER)
    link.unlink(missing_ok=True)
    link.symlink_to("/usr/bin/aks-node-controller")
    # An image with our package needs no launcher of its own: the boothook starts the service.
    node.path(f"{CONTROLLER}-launcher.sh").unlink(missing_ok=True)
    if units:
        for unit in UNITS:
            node.write(f"/usr/lib/systemd/system/{unit}", (REPO / "packaging/systemd" / unit).read_text())
        subprocess.run(["systemctl", f"--root={node.root}", "enable", *UNITS], check=True, capture_output=True)
