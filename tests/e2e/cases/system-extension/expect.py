"""The installation on Flatcar and ACL, with the image of the tests: /usr gets the extension at boot, and the files that
`sunup render custom-data --os flatcar` has for Ignition are in place before systemd starts."""

import json
import shutil
import subprocess
import urllib.request

import package

EXTENSION = "/etc/extensions/aks-node-controller"


def drive(t):
    node = t.node
    for path in ("/usr/bin/aks-node-controller", package.CONTROLLER, f"{package.CONTROLLER}-launcher.sh"):
        node.path(path).unlink(missing_ok=True)
    node.path(package.CONTROLLER).write_text("the image's own program, which gives way")
    install_extension(t)
    link(node, "/etc/systemd/system/sysinit.target.wants/systemd-sysext.service", "/usr/lib/systemd/system/systemd-sysext.service")
    apply_ignition(t)
    node.seed("")
    t.boot()


def install_extension(t):
    """As a directory: a container has no loop devices. Its files are those of the image."""
    packages = t.node.dir / "packages"
    done = subprocess.run([package.REPO / "packaging/build", t.binaries, packages, "--only", "sysext", "--fast"], check=True, capture_output=True, text=True)
    to = t.node.path(EXTENSION)
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(to, ignore_errors=True)
    subprocess.run(["unsquashfs", "-quiet", "-no-progress", "-dest", to, done.stdout.strip()], check=True, capture_output=True)


def link(node, path: str, target: str):
    at = node.path(path)
    at.parent.mkdir(parents=True, exist_ok=True)
    at.unlink(missing_ok=True)
    at.symlink_to(target)


def apply_ignition(t):
    """Applies the files and units of the config as Ignition does."""
    file = t.node.dir / "config.json"
    file.write_text(t.config_text())
    argv = [t.binaries / "sunup", "render", "custom-data", "--config", file, "--os", "flatcar", "--encoding", "none"]
    config = json.loads(subprocess.run(argv, check=True, capture_output=True).stdout)
    for entry in config["storage"]["files"]:
        with urllib.request.urlopen(entry["contents"]["source"]) as source:
            t.node.write(entry["path"], source.read(), entry["mode"])
    for unit in config["systemd"]["units"]:
        t.node.write(f"/etc/systemd/system/{unit['name']}", unit["contents"])
        if unit["enabled"]:
            link(t.node, f"/etc/systemd/system/multi-user.target.wants/{unit['name']}", f"/etc/systemd/system/{unit['name']}")


def check(t):
    node = t.node
    merged = node.run(["systemd-sysext", "status"]).stdout
    t.check("aks-node-controller" in merged, f"the extension is not merged: {merged}")
    t.check(node.run(["readlink", package.CONTROLLER]).stdout.strip() == "/usr/bin/aks-node-controller", "the link does not lead to the extension's program")
    t.check(node.unit_state("aks-node-controller.service") == "active", "the service does not stay active")
    code, output = t.provision_wait()
    t.check(code == 0, f"provision-wait ended with {code}: {output}")
    node.run(["touch", "/opt/azure/containers/writable"])
