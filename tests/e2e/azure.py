"""What Azure offers every VM at fixed addresses: the metadata service, the wire server and DNS. One of each per node.

They live in the runner and answer in the node's network namespace. A case can make the metadata service misbehave:

    node.azure.imds.script([{"status": 500, "times": 2}, {"delay": 1.5, "times": 1}])

Every request takes the first entry that has uses left; without any left the service behaves. An entry may have
  times   how often it applies (default: for ever)
  delay   seconds to wait before answering
  status  HTTP status instead of 200
  body    this text instead of the document (rubbish, say)
  hang    true: accept, never answer
  reset   true: accept, then reset the connection
  drip    seconds between the single bytes of the answer
"late" (the service is not there yet) is `start(after=SECONDS)`: nobody listens until then.
"""

import base64
import json
import socket
import struct
import threading
import time
import uuid
import xml.etree.ElementTree
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from net import Namespace

IMDS = "169.254.169.254"
WIRE = "168.63.129.16"
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhlbGxvLCB0aGlzIGlzIG5vdCBhIHNlY3JldCBrZXkh e2e"
GOAL_STATE = """\
<?xml version="1.0" encoding="utf-8"?>
<GoalState xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Version>2010-12-15</Version><Incarnation>1</Incarnation>
<Machine><ExpectedState>Started</ExpectedState></Machine><Container><ContainerId>c6d5526c-5ac2-4200-b6e2-56f2b70c5ab2</ContainerId>
<RoleInstanceList><RoleInstance><InstanceId>b61f93d0.MachineRole_IN_0</InstanceId></RoleInstance></RoleInstanceList></Container></GoalState>
"""


def ovf_env(name: str, custom_data: bytes) -> str:
    """The document on the provisioning disc of a VM."""
    return f"""\
<?xml version="1.0" encoding="utf-8"?>
<Environment xmlns="http://schemas.dmtf.org/ovf/environment/1" xmlns:wa="http://schemas.microsoft.com/windowsazure">
<wa:ProvisioningSection><wa:Version>1.0</wa:Version><wa:LinuxProvisioningConfigurationSet>
<wa:ConfigurationSetType>LinuxProvisioningConfiguration</wa:ConfigurationSetType><wa:HostName>{name}</wa:HostName>
<wa:UserName>azureuser</wa:UserName><wa:DisableSshPasswordAuthentication>true</wa:DisableSshPasswordAuthentication>
<wa:CustomData>{base64.b64encode(custom_data).decode()}</wa:CustomData>
</wa:LinuxProvisioningConfigurationSet></wa:ProvisioningSection><wa:PlatformSettingsSection><wa:Version>1.0</wa:Version>
<wa:PlatformSettings><wa:ProvisionGuestAgent>true</wa:ProvisionGuestAgent><wa:PreprovisionedVm>false</wa:PreprovisionedVm></wa:PlatformSettings>
</wa:PlatformSettingsSection></Environment>
"""


class HttpStandIn:
    """An HTTP service on one address of the node's namespace, whose answers come from a function."""

    def __init__(self, answer):
        self.answer = answer
        self.requests: list[str] = []
        self.posts: list[tuple[float, str, str]] = []  # when (monotonic), path, body
        self.posted = threading.Event()  # somebody has posted something
        self._script: list[dict] = []
        self._lock = threading.Lock()
        self._servers: list[ThreadingHTTPServer] = []
        self._stopping = threading.Event()
        self._timer = None

    def script(self, entries: list[dict]):
        with self._lock:
            self._script = [dict(e) for e in entries]

    def start(self, ns: Namespace, address: str, *ports: int, after: float = 0):
        self._stopping.clear()
        if after > 0:
            self._timer = threading.Timer(after, self.start, (ns, address, *ports))
            self._timer.daemon = True
            self._timer.start()
            return
        for port in ports:
            server = ThreadingHTTPServer((address, port), self._handler(), bind_and_activate=False)
            server.daemon_threads = True
            server.socket.close()
            server.socket = ns.listen(address, port)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self._servers.append(server)

    def stop(self):
        self._stopping.set()
        if self._timer:
            self._timer.cancel()
        for server in self._servers:
            server.shutdown()
            server.server_close()
        self._servers = []

    def _next_entry(self) -> dict:
        with self._lock:
            for entry in self._script:
                if (left := entry.get("times")) is None:
                    return entry
                if left > 0:
                    entry["times"] = left - 1
                    return entry
        return {}

    def _handler(self):
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                service.requests.append(self.path)
                entry = service._next_entry()
                if service._stopping.wait(3600 if entry.get("hang") else entry.get("delay", 0)):
                    self.close_connection = True
                    return
                if entry.get("reset"):
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()
                    self.close_connection = True
                    return
                status, body = service.answer(self.path, self.headers)
                status, body = entry.get("status", status), entry.get("body", body)
                data = body.encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if "drip" not in entry:
                    self.wfile.write(data)
                    return
                for at in range(len(data)):
                    if service._stopping.wait(entry["drip"]):
                        return
                    self.wfile.write(data[at:at + 1])
                    self.wfile.flush()

            do_PUT = do_GET

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                service.posts.append((time.monotonic(), self.path, body.decode(errors="replace")))
                service.posted.set()
                self.do_GET()

            def log_message(self, *_):
                pass

            def handle(self):
                try:
                    super().handle()
                except (ConnectionError, TimeoutError):
                    pass  # the node lost patience or power

        return Handler


class NameServer:
    """Answers A queries from a function name -> address; everything else does not exist."""

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
        # Who asks with EDNS wants EDNS back, or asks again without.
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
        self.imds = HttpStandIn(self._metadata)
        self.wire = HttpStandIn(self._wire)
        self.dns = NameServer(lookup)

    def start(self, ns: Namespace, address: str, mac: str):
        self.address, self.mac = address, mac.replace(":", "").upper()
        for a in (IMDS, WIRE):
            # Of host scope, or the node takes them for addresses of its own that others may know.
            ns.ip("addr", "add", f"{a}/32", "dev", "lo", "scope", "host")
        self.dns.start(ns, WIRE)
        self.wire.start(ns, WIRE, 80, 32526)
        self.imds.start(ns, IMDS, 80, after=self.imds_after)

    def stop(self):
        for service in (self.imds, self.wire, self.dns):
            service.stop()

    def _metadata(self, path: str, headers) -> tuple[int, str]:
        if headers.get("Metadata", "").lower() != "true":
            return 400, '{"error":"Bad request. Required metadata header not specified"}'
        route, _, query = path.partition("?")
        if route.rstrip("/") != "/metadata/instance" or "api-version=" not in query:
            return 404, '{"error":"Not found"}'
        return 200, json.dumps(self.instance())

    def instance(self) -> dict:
        return {
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
            if path == "/machine?comp=health":
                tree = xml.etree.ElementTree.fromstring(body.encode())
                found.append((when, tree.findtext(".//State"), tree.findtext(".//Description") or ""))
        return found

    def _wire(self, path: str, _headers) -> tuple[int, str]:
        if path.startswith("/acms/isOptedInForRootCerts"):
            return 200, '{"IsOptedInForRootCerts": false}'
        if path.startswith("/vmSettings"):
            return 200, "{}"
        if path == "/machine/?comp=goalstate":
            return 200, GOAL_STATE
        if path == "/machine?comp=health":
            return 200, ""
        return 404, ""
