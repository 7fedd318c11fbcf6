"""A node with the complete provisioning path of a VM in Azure: firmware, DHCP, the guest agent, the script extension, and cloud-init with
its Azure data source or nothing instead of it.

A container lacks what a VM has of Hyper-V. cloud-init and the agent get the firmware's answers from a program, bootstrap gets them from
files. The provisioning disc is a block device whose file system the kernels of test machines know (they seldom know UDF or ISO 9660, the
file systems that bootstrap mounts); without cloud-init its document is a seed.
"""

import base64
import re
import shutil
import subprocess
from pathlib import Path

import azure
import inotify
import package
from fabric import HANDLER, Fabric

CHASSIS = "7783-7084-3265-9085-8269-3286-77"  # the asset tag of every VM in Azure
DISC = "/dev/sr0"
AGENT_LOG = "/var/log/waagent.log"
HANDLER_LOG = f"/var/log/azure/{HANDLER}/handler.log"
FIRMWARE = "/usr/lib/e2e-firmware"
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
# As on an AKS image.
AGENT_SETTINGS = {
    "Provisioning.Agent": "auto", "Provisioning.MonitorHostName": "n", "ResourceDisk.Format": "n", "OS.EnableFirewall": "y", "Logs.Collect": "n",
    "AutoUpdate.Enabled": "y", "AutoUpdate.UpdateToLatestVersion": "n",
}
# By default the agent looks for a goal state every 6 s and for events every 300 s.
OFTEN = {"Extensions.GoalStatePeriod": "1", "Extensions.InitialGoalStatePeriod": "1", "Debug.EtpCollectionPeriod": "1"}

# /sys cannot be written to, but a file system can be mounted over its directory of devices.
FIRMWARE_UNIT = f"""\
[Unit]
DefaultDependencies=no
Before=aks-node-bootstrap.service aks-node-controller.service walinuxagent.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/mount -t overlay firmware -o lowerdir={FIRMWARE}:/sys/class /sys/class
"""
NETWORK = """\
[Match]
Name=eth0

[Network]
DHCP=ipv4
LinkLocalAddressing=no
IPv6AcceptRA=no
"""


def enter_fabric(node):
    """Called first: makes the services of the node those of a fabric."""
    if node.own_kernel:
        raise RuntimeError("the boot modes with Azure's fabric are for nodes in containers")
    node.azure = Fabric(node.name, node._lookup, node.dir, node.cp.dir)


def prepare(node, custom_data: bytes, user_data: bytes = b"", hurry: dict[str, str] = OFTEN):
    """Called while the node is off: prepares what it finds when it starts. `hurry` are more settings of the agent."""
    node.azure.has_custom_data = bool(custom_data)
    node.azure.user_data = base64.b64encode(user_data).decode()
    _cloud_init(node)
    _agent(node, hurry)
    _firmware(node)
    insert_disc(node, custom_data)


def prepare_without_cloud_init(node, custom_data: bytes, user_data: bytes = b"", hurry: dict[str, str] = OFTEN):
    """The same for a node on which bootstrap is in cloud-init's place. Without custom data there is no disc."""
    node.azure.has_custom_data = bool(custom_data)
    node.azure.user_data = base64.b64encode(user_data).decode()
    package.replace_cloud_init(node)
    if custom_data:
        package.seed(node, custom_data)
    prepare_limit(node, hurry)


def prepare_limit(node, hurry: dict[str, str]):
    """A VM on which nothing looks for data: firmware, agent, and systemd-networkd that asks for an address."""
    node.write("/etc/systemd/network/10-dhcp.network", NETWORK)
    node.by_dhcp = True
    _agent(node, hurry)
    _firmware(node)


def _cloud_init(node):
    """Only the data from Azure, and a network as described by the metadata service."""
    file = "/etc/cloud/cloud.cfg.d/90-node.cfg"
    settings, count = re.subn(r"(?m)^datasource_list:.*\nnetwork:.*\n", "datasource_list: [ Azure ]\n", node.read(file))
    assert count == 1, f"{file} has other lines than expected"
    node.write(file, settings)
    node.by_dhcp = True


def _agent(node, hurry: dict[str, str]):
    events = node.path(EVENTS)
    events.mkdir(parents=True)
    node.azure.written_events = inotify.Arrivals(events)
    node.write("/etc/systemd/system/walinuxagent.service", AGENT_UNIT)
    wants = node.path("/etc/systemd/system/multi-user.target.wants")
    wants.mkdir(parents=True, exist_ok=True)
    (wants / "walinuxagent.service").symlink_to("/etc/systemd/system/walinuxagent.service")
    settings = AGENT_SETTINGS | hurry
    kept = [line for line in node.read("/etc/waagent.conf").splitlines() if line.split("=")[0] not in settings]
    node.write("/etc/waagent.conf", "\n".join([*kept, *(f"{k}={v}" for k, v in settings.items())]) + "\n")


def _firmware(node):
    """The values that the agent and cloud-init query with dmidecode, and the kernel's files with them. In a container, cloud-init uses
    the program only if it is changed to."""
    write_firmware(node)
    node.write("/etc/systemd/system/e2e-firmware.service", FIRMWARE_UNIT)
    wants = node.path("/etc/systemd/system/sysinit.target.wants")
    (wants / "e2e-firmware.service").symlink_to("/etc/systemd/system/e2e-firmware.service")
    file = "/usr/lib/python3/dist-packages/cloudinit/dmi.py"
    node.write(file, node.read(file) + '\n\ndef read_dmi_data(key):\n    return _call_dmidecode(key, "/usr/sbin/dmidecode")\n')


def product_uuid(vm_id: str, uefi: bool) -> str:
    """The id of a VM as its kernel prints it: without UEFI the bytes of the first three fields are in the wrong order."""
    fields = vm_id.split("-")
    return vm_id if uefi else "-".join([bytes.fromhex(field)[::-1].hex() for field in fields[:3]] + fields[3:])


def write_firmware(node):
    """The id of the VM and Azure's mark."""
    uuid = product_uuid(node.azure.vm_id, Path("/sys/firmware/efi").exists())
    node.write(f"{FIRMWARE}/dmi/id/product_uuid", uuid + "\n", 0o400)
    node.write(f"{FIRMWARE}/dmi/id/chassis_asset_tag", CHASSIS + "\n")
    node.write("/usr/sbin/dmidecode", f"""\
#!/bin/sh
case "$2" in
  system-uuid) echo {node.azure.vm_id} ;;
  chassis-asset-tag) echo {CHASSIS} ;;
esac
""", 0o755)


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
