"""What starts a node's controller (custom data, units), watched with a stand-in for the controller that notes every start."""

import json
import subprocess
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
DIRECTORY = "/opt/azure/containers"
CONFIG = f"{DIRECTORY}/aks-node-controller-config.json"
FEATURES = f"{DIRECTORY}/enabled_features.sh"
UNITS = ("aks-node-controller.service", "aks-node-controller.path")
STARTS = "/var/log/azure/starts"

# Notes when and in which state of boot it was started, then works until it is let go, so that every trigger meets a
# provision under way; ends like a controller does.
STAND_IN = f"""#!/bin/sh
now=$(date +%s.%N)
echo "$now $* cloud-init=$(systemctl is-active cloud-init.service) basic=$(systemctl is-active basic.target) umask=$(umask)" >>{STARTS}
[ -p /run/let-go ] && read -r code </run/let-go
mkdir -p /var/log/azure/aks
echo '{{"ExitCode":"'"${{code:-0}}"'","Output":"","Error":""}}' >/var/log/azure/aks/provision.json
: >{DIRECTORY}/provision.complete
exit "${{code:-0}}"
"""


def prepare(node):
    """An image with our units and without a launcher. The stand-in waits for let_go()."""
    node.write(f"{DIRECTORY}/aks-node-controller", STAND_IN, 0o755)
    node.path(f"{DIRECTORY}/aks-node-controller-launcher.sh").unlink(missing_ok=True)
    for unit in UNITS:
        node.write(f"/usr/lib/systemd/system/{unit}", (REPO / "packaging/systemd" / unit).read_text())
    subprocess.run(["systemctl", f"--root={node.root}", "enable", *UNITS], check=True, capture_output=True)
    node.write("/etc/tmpfiles.d/let-go.conf", "p /run/let-go 0600 root root\n")


def render(t, config: dict, *words: str) -> bytes:
    file = t.node.dir / "config.json"
    file.write_text(json.dumps(config))
    argv = [t.binaries / "sunup", "render", "custom-data", "--config", file, "--encoding", "none", *words]
    return subprocess.run(argv, check=True, capture_output=True).stdout


def seed(node, custom_data: bytes):
    node.seed("")
    node.write("/var/lib/cloud/seed/nocloud/user-data", custom_data, 0o600)


def cloud_init_done(node):
    node.run(["cloud-init", "status", "--wait"], timeout=60, check=False)


def let_go(node, code: int = 0):
    """Ends the provision under way. Blocks until the stand-in listens."""
    node.run(["sh", "-c", f"echo {code} >/run/let-go"])
    node.wait_for_path(f"{DIRECTORY}/provision.complete", 30)


def starts(node) -> list[str]:
    file = node.path(STARTS)
    return file.read_text().splitlines() if file.exists() else []


def failed_units(node) -> str:
    return node.run(["systemctl", "list-units", "--failed", "--plain", "--no-legend", "aks-node-controller*"]).stdout
