"""The services that Azure provides to every VM at fixed addresses: the metadata service, the wire server and DNS. One of each per node.

They run in the runner and respond in the node's network namespace. fabric.py has the services for the guest agent.
"""

import base64
import json
import socket
import struct
import threading
import time
import uuid
import xml.etree.ElementTree

from httpservice import HttpStandIn, Request
from net import Namespace

IMDS = "169.254.169.254"
WIRE = "168.63.129.16"
HEALTH = ("/machine?comp=health", "/provisioning/health")  # both mean the same to Azure
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhlbGxvLCB0aGlzIGlzIG5vdCBhIHNlY3JldCBrZXkh e2e"
GOAL_STATE = """\
<?xml version="1.0" encoding="utf-8"?>
<GoalState xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Version>2010-12-15</Version><Incarnation>1</Incarnation>
<Machine><ExpectedState>Started</ExpectedState></Machine><Container><ContainerId>c6d5526c-5ac2-4200-b6e2-56f2b70c5ab2</ContainerId>
<RoleInstanceList><RoleInstance><InstanceId>b61f93d0.MachineRole_IN_0</InstanceId></RoleInstance></RoleInstanceList></Container></GoalState>
"""


def ovf_env(name: str, custom_data: bytes, pool: str = "") -> str:
    """The document on the provisioning disc of a VM; `pool` is the type of a pre-provisioned one."""
    waits = f"<wa:PreprovisionedVm>{str(bool(pool)).lower()}</wa:PreprovisionedVm>" + (f"<wa:PreprovisionedVMType>{pool}</wa:PreprovisionedVMType>" if pool else "")
    return f"""\
<?xml version="1.0" encoding="utf-8"?>
<Environment xmlns="http://schemas.dmtf.org/ovf/environment/1" xmlns:wa="http://schemas.microsoft.com/windowsazure">
<wa:ProvisioningSection><wa:Version>1.0</wa:Version><wa:LinuxProvisioningConfigurationSet>
<wa:ConfigurationSetType>LinuxProvisioningConfiguration</wa:ConfigurationSetType><wa:HostName>{name}</wa:HostName>
<wa:UserName>azureuser</wa:UserName><wa:DisableSshPasswordAuthentication>true</wa:DisableSshPasswordAuthentication>
<wa:CustomData>{base64.b64encode(custom_data).decode()}</wa:CustomData>
</wa:LinuxProvisioningConfigurationSet></wa:ProvisioningSection><wa:PlatformSettingsSection><wa:Version>1.0</wa:Version>
<wa:PlatformSettings><wa:ProvisionGuestAgent>true</wa:ProvisionGuestAgent>{waits}</wa:PlatformSettings>
</wa:PlatformSettingsSection></Environment>
"""


class NameServer:
    """Answers A queries from a function name -> address; all other names do not exist."""

    def __init__(self, lookup):
        self.lookup = lookup
        self._socket = None

    def start(self, ns: Namespace, address: str):
        self._socket = ns.listen(address, 53, socket.SOCK_DGRAM)
        threading.Thread(target=self._serve, args=(self._socket,), daemon=True).start()

    def stop(self):
        if self._socket:
            # A datagram socket's reader is only woken by shutdown, not by close.
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self._socket.close()
            self._socket = None

    def _serve(self, s: socket.socket):
        while True:
            try:
                query, peer = s.recvfrom(4096)
                if not query:
                    return
                s.sendto(self.reply(query), peer)
            except (OSError, ValueError):
                return

    def reply(self, query: bytes) -> bytes:
        ident, _, _ = struct.unpack("!HHH", query[:6])
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode(errors="replace"))
            at += query[at] + 1
        question = query[12:at + 5]
        kind = struct.unpack("!H", query[at + 1:at + 3])[0]
        address = self.lookup(".".join(labels).lower())
        answer = b""
        if address and kind == 1:
            answer = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 5, 4) + socket.inet_aton(address)
        code = 0 if address else 3
        # A client that uses EDNS expects EDNS in the response, or asks again without it.
        extra = b"\0" + struct.pack("!HHIH", 41, 1232, 0, 0) if query[10:12] != b"\0\0" else b""
        counts = (1, 1 if answer else 0, 0, 1 if extra else 0)
        return struct.pack("!HHHHHH", ident, 0x8580 | code, *counts) + question + answer + extra


class Azure:
    """The services of one node."""

    def __init__(self, name: str, lookup):
        self.name = name
        self.address, self.mac = "", ""
        self.tags: dict[str, str] = {}
        self.vm_size = "Standard_D2s_v5"
        self.imds_after = 0.0
        self.vm_id = str(uuid.uuid5(uuid.NAMESPACE_DNS, name))
        self.user_data = ""  # base64
        self.has_custom_data: bool | None = None  # whether it is on the disc; None: the service does not tell
        self.pool = "None"  # the type of a pre-provisioned VM
        self.before_health = lambda: None  # called before a health report is accepted
        self.read_at = 0.0  # when (monotonic) the metadata service last sent the instance
        self.imds = HttpStandIn(self._metadata)
        self.wire = HttpStandIn(self._wire)
        self.dns = NameServer(lookup)

    def start(self, ns: Namespace, address: str, mac: str):
        self.address, self.mac = address, mac.replace(":", "").upper()
        for a in (IMDS, WIRE):
            # With host scope; otherwise the node treats them as its own global addresses.
            ns.ip("addr", "add", f"{a}/32", "dev", "lo", "scope", "host")
        self.dns.start(ns, WIRE)
        self.wire.start(ns, WIRE, 80, 32526)
        self.imds.start(ns, IMDS, 80, after=self.imds_after)

    def stop(self):
        for service in (self.imds, self.wire, self.dns):
            service.stop()

    def _metadata(self, request: Request) -> tuple[int, str]:
        if request.headers.get("Metadata", "").lower() != "true":
            return 400, '{"error":"Bad request. Required metadata header not specified"}'
        route, _, query = request.path.partition("?")
        documents = {"/metadata/instance": self.instance, "/metadata/instance/compute": lambda: self.instance()["compute"]}
        if route.rstrip("/") not in documents or "api-version=" not in query:
            return 404, '{"error":"Not found"}'
        self.read_at = time.monotonic()
        return 200, json.dumps(documents[route.rstrip("/")]())

    def instance(self) -> dict:
        extended = {} if self.has_custom_data is None else {"extended": {"compute": {"hasCustomData": self.has_custom_data, "ppsType": self.pool}}}
        return extended | {
            "compute": {
                "name": self.name, "vmId": self.vm_id, "location": "eastus", "vmSize": self.vm_size, "osType": "Linux", "zone": "",
                "azEnvironment": "AzurePublicCloud", "resourceGroupName": "MC_e2e_e2e_eastus",
                "subscriptionId": "00000000-0000-0000-0000-000000000000",
                "tags": ";".join(f"{k}:{v}" for k, v in self.tags.items()),
                "tagsList": [{"name": k, "value": v} for k, v in self.tags.items()],
                "osProfile": {"computerName": self.name, "adminUsername": "azureuser", "disablePasswordAuthentication": "true"},
                "publicKeys": [{"keyData": PUBLIC_KEY, "path": "/home/azureuser/.ssh/authorized_keys"}],
                "userData": self.user_data,
            },
            "network": {"interface": [{
                "ipv4": {
                    "ipAddress": [{"privateIpAddress": self.address, "publicIpAddress": ""}],
                    "subnet": [{"address": "10.224.0.0", "prefix": "16"}]},
                "ipv6": {"ipAddress": []},
                "macAddress": self.mac,
            }]},
        }

    def health(self) -> list[tuple[float, str, str]]:
        """The health reports of the node: when, its state, its description."""
        found = []
        for when, path, body in self.wire.posts:
            if path == HEALTH[0]:
                tree = xml.etree.ElementTree.fromstring(body.encode())
                found.append((when, tree.findtext(".//State"), tree.findtext(".//Description") or ""))
        return found

    def health_posts(self) -> list[tuple[float, str, str]]:
        """All of them, also those that were not accepted: when, path, body."""
        return [post for post in self.wire.posts if post[1] in HEALTH]

    def _wire(self, request: Request) -> tuple[int, str]:
        path = request.path
        if path in HEALTH:
            self.before_health()
        if path.startswith("/acms/isOptedInForRootCerts"):
            return 200, '{"IsOptedInForRootCerts": false}'
        if path.startswith("/vmSettings"):
            return 200, "{}"
        if path == "/machine/?comp=goalstate":
            return 200, GOAL_STATE
        if path == HEALTH[0]:
            return 200, ""
        return 404, ""
