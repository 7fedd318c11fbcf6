"""The first boot prepares the image (pre_provision_only). Then the disk is changed like a captured one: cloud-init forgets the
instance, systemd its machine id. The second boot is that of a node made from the image, with its own config."""

import json
import subprocess

AZURE = "/opt/azure/containers"
USER_DATA = "/var/lib/cloud/seed/nocloud/user-data"


def custom_data(t, config: dict) -> bytes:
    file = t.node.dir / "prepare.json"
    file.write_text(json.dumps(config))
    argv = [t.binaries / "sunup", "render", "custom-data", "--config", file, "--encoding", "none"]
    return subprocess.run(argv, check=True, capture_output=True).stdout


def drive(t):
    of_the_node = t.node.path(USER_DATA).read_bytes()
    t.node.write(USER_DATA, custom_data(t, {**t.config(), "pre_provision_only": True}), 0o600)
    t.boot()
    t.node.wait_for_path(f"{AZURE}/base_prep.complete", t.case.timeout)
    code, output = t.provision_wait()
    t.check(code == 0 and json.loads(output)["ExitCode"] == "0", f"provision-wait on the prepared image: {code} {output[-1500:]}")
    t.check(not t.node.exists(f"{AZURE}/provision.complete"), "the marker would keep the image's nodes from being provisioned")
    t.check(t.node.unit_state("kubelet.service") != "active", "kubelet runs although the image is only prepared")

    t.node.run(["cloud-init", "clean", "--logs"], check=False)
    t.node.run(["truncate", "--size=0", "/etc/machine-id"])
    t.node.shut_down()
    t.check(t.node.exists("/var/log/azure/aks/provision.json"), "the result of the preparation is captured with the image")
    t.times.clear()
    t.node.write(USER_DATA, of_the_node, 0o600)
    t.boot()


def check(t):
    t.check(t.node.exists(f"{AZURE}/provision.complete"), "the node has no marker")
    said = t.node.read("/var/log/azure/aks-node-controller.log")
    t.check("the result of its preparation is removed" in said, "the result of the preparation was taken for the node's, or not seen")
