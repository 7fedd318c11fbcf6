"""The package on a node's disk: the program where images and the custom script extension look for it, and its units."""

import subprocess
import threading
from pathlib import Path

import azure
import sandbox

REPO = Path(__file__).resolve().parents[2]
CONTROLLER = "/opt/azure/containers/aks-node-controller"
SEED = "/var/lib/cloud/seed/azure/ovf-env.xml"
_building = threading.Lock()


def install(node, binaries: Path, units: bool = True):
    """Called while the node is off. Without units only the program is installed, so nothing starts automatically."""
    program = binaries / "aks-node-controller"
    if not program.exists():
        raise RuntimeError(f"{program} does not exist: build it first (./dev build)")
    # An image with the package needs no separate launcher: the boothook starts the service.
    for path in (CONTROLLER, f"{CONTROLLER}-launcher.sh"):
        node.path(path).unlink(missing_ok=True)
    if units:
        argv = ["dpkg", f"--root={node.root}", "--force-script-chrootless", "-i", build(binaries)]
        done = subprocess.run(argv, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"dpkg refuses the package: {done.stdout}{done.stderr}")
    else:
        node.copy_in(program, "/usr/bin/aks-node-controller")
        node.path(CONTROLLER).symlink_to("/usr/bin/aks-node-controller")


def replace_cloud_init(node):
    """After install: an image without cloud-init."""
    node.write("/etc/cloud/cloud-init.disabled", "")
    wants = node.path("/etc/systemd/system/sysinit.target.wants")
    wants.mkdir(parents=True, exist_ok=True)
    (wants / "aks-node-bootstrap.service").symlink_to("/usr/lib/systemd/system/aks-node-bootstrap.service")


def seed(node, custom_data: bytes):
    """The document of the provisioning disc with this custom data. A container has no disc drive whose file systems bootstrap reads."""
    node.write(SEED, azure.ovf_env(node.name, custom_data), 0o600)


def build(binaries: Path) -> Path:
    """The Debian package of these programs, built once per run."""
    directory = sandbox.run_dir() / "packages"
    with _building:
        if not directory.exists():
            directory.mkdir()
            subprocess.run([REPO / "packaging/build", binaries, directory, "--only", "deb", "--fast"], check=True, capture_output=True)
    return next(directory.glob("aks-node-controller_*.deb"))
