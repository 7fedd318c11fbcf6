"""A node with the complete provisioning path of a VM in Azure: cloud-init with its Azure data source, the guest agent, the script extension.

A container lacks what a VM has of Hyper-V. cloud-init is told the firmware's answers; the provisioning disc is a block device whose file
system the kernels of test machines know (they seldom know UDF or ISO 9660).
"""

import base64
import re
import shutil
import subprocess

import azure
import inotify
from fabric import HANDLER, Fabric

CHASSIS = "7783-7084-3265-9085-8269-3286-77"  # the asset tag of every VM in Azure
DISC = "/dev/sr0"
AGENT_LOG = "/var/log/waagent.log"
HANDLER_LOG = f"/var/log/azure/{HANDLER}/handler.log"
EVENTS = f"/var/log/azure/{HANDLER}/events"

# Ubuntu's unit, which AKS images have; Debian's starts only on Hyper-V.
AGENT_UNIT = """\
[Unit]
Description=Azure Linux Agent
After=network-online.target cloud-init.service
Wants=network-online.target

[Service]
Type=simple
ExecStart=/usr/bin/python3 -u /usr/sbin/waagent -daemon
Restart=always

[Install]
WantedBy=multi-user.target
"""
# As on an AKS image, but more often: by default the agent looks for a goal state every 6 s and for events every 300 s.
AGENT_SETTINGS = {
    "Provisioning.Agent": "auto", "Provisioning.MonitorHostName": "n", "ResourceDisk.Format": "n", "OS.EnableFirewall": "y", "Logs.Collect": "n",
    "AutoUpdate.Enabled": "y", "AutoUpdate.UpdateToLatestVersion": "n",
    "Extensions.GoalStatePeriod": "1", "Extensions.InitialGoalStatePeriod": "1", "Debug.EtpCollectionPeriod": "1",
}


def enter_fabric(node):
    """Called first: makes the services of the node those of a fabric."""
    if node.own_kernel:
        raise RuntimeError("the boot mode azure is for nodes in containers")
    node.azure = Fabric(node.name, node._lookup, node.dir, node.cp.dir)


def prepare(node, custom_data: bytes, user_data: bytes = b""):
    """Called while the node is off: prepares what it finds when it starts."""
    node.azure.has_custom_data = bool(custom_data)
    node.azure.user_data = base64.b64encode(user_data).decode()
    _cloud_init(node)
    _agent(node)
    _firmware(node)
    insert_disc(node, custom_data)
    events = node.path(EVENTS)
    events.mkdir(parents=True)
    node.azure.written_events = inotify.Arrivals(events)


def _cloud_init(node):
    """Only the data from Azure, and a network as described by the metadata service."""
    file = "/etc/cloud/cloud.cfg.d/90-node.cfg"
    settings, count = re.subn(r"(?m)^datasource_list:.*\nnetwork:.*\n", "datasource_list: [ Azure ]\n", node.read(file))
    assert count == 1, f"{file} has other lines than expected"
    node.write(file, settings)
    node.by_dhcp = True


def _agent(node):
    node.write("/etc/systemd/system/walinuxagent.service", AGENT_UNIT)
    wants = node.path("/etc/systemd/system/multi-user.target.wants")
    wants.mkdir(parents=True, exist_ok=True)
    (wants / "walinuxagent.service").symlink_to("/etc/systemd/system/walinuxagent.service")
    kept = [line for line in node.read("/etc/waagent.conf").splitlines() if line.split("=")[0] not in AGENT_SETTINGS]
    node.write("/etc/waagent.conf", "\n".join([*kept, *(f"{k}={v}" for k, v in AGENT_SETTINGS.items())]) + "\n")


def _firmware(node):
    """The values that the agent and cloud-init query with dmidecode. In a container, cloud-init does so only if it is configured to."""
    node.write("/usr/sbin/dmidecode", f"""\
#!/bin/sh
case "$2" in
  system-uuid) echo {node.azure.vm_id} ;;
  chassis-asset-tag) echo {CHASSIS} ;;
esac
""", 0o755)
    file = "/usr/lib/python3/dist-packages/cloudinit/dmi.py"
    node.write(file, node.read(file) + '\n\ndef read_dmi_data(key):\n    return _call_dmidecode(key, "/usr/sbin/dmidecode")\n')


def insert_disc(node, custom_data: bytes):
    """The provisioning disc. It is a mounted loop device, which this machine removes when it is no longer mounted."""
    content, image, mount = node.dir / "disc", node.dir / "disc.img", node.dir / "disc.mounted"
    for directory in (content, mount):
        directory.mkdir()
    (content / "ovf-env.xml").write_text(azure.ovf_env(node.name, custom_data))
    subprocess.run(["mke2fs", "-q", "-t", "ext2", "-d", content, image, "1M"], check=True, capture_output=True)
    subprocess.run(["mount", "-o", "ro,loop", image, mount], check=True)
    node.mounts.append(mount)
    node.devices[DISC] = subprocess.run(["findmnt", "--noheadings", "--output=SOURCE", mount], check=True, capture_output=True, text=True).stdout.strip()
    shutil.rmtree(content)
    # The drive of a VM can be ejected; a loop device cannot.
    node.write("/usr/local/bin/eject", f'#!/bin/sh\n[ "$1" = {DISC} ] && umount {DISC} && rm {DISC}\n', 0o755)


def remove_disc(node):
    """Called while the node is off. Azure removes the disc at the first reboot."""
    del node.devices[DISC]
    subprocess.run(["umount", node.mounts.pop()], check=True)
