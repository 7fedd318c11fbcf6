"""The triggers of a node's controller (custom data, units), on an image with the package; its scripts record every start and wait."""

import json
import shutil
import subprocess
from datetime import datetime
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
DIRECTORY = "/opt/azure/containers"
CONFIG = f"{DIRECTORY}/aks-node-controller-config.json"
FEATURES = f"{DIRECTORY}/enabled_features.sh"
COMPLETE = f"{DIRECTORY}/provision.complete"
LOG = "/var/log/azure/aks-node-controller.log"
STARTS = "/var/log/azure/starts"
BRINGS_UP = f"{DIRECTORY}/bring_up_node.sh"

# The image's provisioning script: records the state of the boot in which it was started, waits for a signal, so that every trigger meets a run in progress, and
# ends as configured: with a node, or with an error.
START_SCRIPT = f"""#!/bin/bash
echo "cloud-init=$(systemctl is-active cloud-init-network.service cloud-init.service | sort | head -n 1) basic=$(systemctl is-active basic.target) A=${{A-}}" >>{STARTS}
read -r code </run/let-go
[ "$code" = 0 ] || exit "$code"
[ ! -f {BRINGS_UP} ] || exec /bin/bash {BRINGS_UP}
mkdir -p /var/log/azure/aks
echo '{{"ExitCode":"0","Output":"","Error":""}}' >/var/log/azure/aks/provision.json
touch {COMPLETE}
"""


def prepare(t, brings_up: bool = True):
    """An image with our package, and with scripts that wait for let_go()."""
    node, packages = t.node, t.node.dir / "packages"
    packages.mkdir()
    subprocess.run([REPO / "packaging/build", t.binaries, packages, "--only", "deb", "--fast"], check=True, capture_output=True)
    node.path(f"{DIRECTORY}/aks-node-controller-launcher.sh").unlink(missing_ok=True)
    node.path(f"{DIRECTORY}/aks-node-controller").unlink(missing_ok=True)
    done = subprocess.run(["dpkg", f"--root={node.root}", "--force-script-chrootless", "-i", *packages.glob("aks-node-controller_*.deb")],
                          capture_output=True, text=True)
    t.check(done.returncode == 0, f"dpkg refuses the package: {done.stdout}{done.stderr}")
    node.write(f"{DIRECTORY}/provision_start.sh", START_SCRIPT)
    if brings_up:
        shutil.copy(REPO / "tests/e2e/cases/scripts-mode/files" / f"{DIRECTORY}/provision_start.sh".lstrip("/"), node.path(BRINGS_UP))
    node.write("/etc/tmpfiles.d/let-go.conf", "p /run/let-go 0600 root root\n")


def render(t, config: dict, *words: str) -> bytes:
    file = t.node.dir / "config.json"
    file.write_text(json.dumps(config))
    argv = [t.binaries / "sunup", "render", "custom-data", "--config", file, "--encoding", "none", *words]
    return subprocess.run(argv, check=True, capture_output=True).stdout


def check_config(t, sent: dict):
    """The config on the node means what was sent. (Custom data leaves out what is the default anyway.)"""
    before, after = t.node.dir / "sent.json", t.node.dir / "arrived.json"
    before.write_text(json.dumps(sent))
    after.write_text(t.node.read(CONFIG))
    done = subprocess.run([t.binaries / "sunup", "config", "diff", before, after], capture_output=True, text=True)
    t.check(done.stdout == "the configs are equal\n", f"the config changed on its way: {done.stdout}{done.stderr}")


def seed(node, custom_data: bytes):
    node.seed("")
    node.write("/var/lib/cloud/seed/nocloud/user-data", custom_data, 0o600)


def hold_init_stage(node):
    """Keeps cloud-init's init stage activating until the script has noted its start, or for 30 s: a start that the boothook asked for
    is then noted in that stage, however busy the machine is, and one that waits for the end of the stage is noted after it."""
    wait = f"timeout 30 sh -c 'tail -n +1 -F {STARTS} 2>/dev/null | grep -q -m1 basic='"
    for unit in "cloud-init-network.service", "cloud-init.service":
        node.write(f"/etc/systemd/system/{unit}.d/hold.conf", f"[Service]\nExecStartPost=-{wait}\n")


def cloud_init_done(node):
    node.run(["cloud-init", "status", "--wait"], timeout=60, check=False)


def let_go(node, code: int = 0):
    """Ends the provision under way. Blocks until the script listens."""
    node.run(["sh", "-c", f"echo {code} >/run/let-go"])
    node.wait_for_path(COMPLETE, 30)


def starts(node) -> list[str]:
    """A line for every provision."""
    file = node.path(STARTS)
    return file.read_text().splitlines() if file.exists() else []


def log(node, message: str) -> list[dict]:
    """The controller's records of this text."""
    file = node.path(LOG)
    records = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [r for r in records if r["msg"] == message]


def launches(node) -> list[float]:
    """When the controller was started by a trigger, in seconds since the epoch."""
    # Nine digits of a second are more than datetime reads.
    return [datetime.fromisoformat(r["time"][:26].rstrip("Z") + "+00:00").timestamp() for r in log(node, "launch started")]


def boothook_time(node) -> float:
    """When cloud-init ran the boothook: it writes the script right before."""
    return next(node.path(f"/var/lib/cloud/instances/{node.name}/boothooks").iterdir()).stat().st_mtime


def failed_units(node) -> str:
    return node.run(["systemctl", "list-units", "--failed", "--plain", "--no-legend", "aks-node-controller*"]).stdout
