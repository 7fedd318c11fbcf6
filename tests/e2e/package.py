"""Our package on a node's disk: the program where images and the custom script extension look for it, and its units."""

import subprocess
import threading
from pathlib import Path

import sandbox

REPO = Path(__file__).resolve().parents[2]
CONTROLLER = "/opt/azure/containers/aks-node-controller"
_building = threading.Lock()


def install(node, binaries: Path, units: bool = True):
    """While the node is off. Without units only the program: nothing starts by itself."""
    program = binaries / "aks-node-controller"
    if not program.exists():
        raise RuntimeError(f"{program} does not exist: build it first (./dev build)")
    # An image with our package needs no launcher of its own: the boothook starts the service.
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


def build(binaries: Path) -> Path:
    """The Debian package of these programs, made once a run."""
    directory = sandbox.run_dir() / "packages"
    with _building:
        if not directory.exists():
            directory.mkdir()
            subprocess.run([REPO / "packaging/build", binaries, directory, "--only", "deb", "--fast"], check=True, capture_output=True)
    return next(directory.glob("aks-node-controller_*.deb"))
