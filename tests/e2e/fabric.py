"""Azure's fabric, as far as a VM with the guest agent sees it: goal states, certificates, the script extension, its status, telemetry.

    node.azure.run("COMMAND")                 puts the script extension with this command into the model of the VM
    node.azure.run("COMMAND", sequence=1)     the model changes: the agent runs it with the next sequence number
    node.azure.handler_status(0, "success")   what the status blob says about a sequence number, once it says that
    node.azure.telemetry()                    the events of the node that reached the platform
"""

import base64
import hashlib
import io
import json
import re
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse
import xml.etree.ElementTree
import zipfile
from html import escape
from pathlib import Path

import inotify
from azure import WIRE, Azure
from controlplane import STORAGE
from httpservice import HttpStandIn, Request
from net import Namespace

HANDLER = "Microsoft.Azure.Extensions.CustomScript"
VERSION = "2.1.19"  # of the handler that script_handler/ behaves like
PACKAGE = Path(__file__).resolve().parent / "script_handler"
STORAGE_ADDRESS = "20.60.0.4"
CONTAINER, DEPLOYMENT = "c6d5526c-5ac2-4200-b6e2-56f2b70c5ab2", "b61f93d0-e1ed-40b2-b067-22c243233448"
PLUGIN_PORT = 32526
CONFIGS = ("HostingEnvironmentConfig", "SharedConfig", "ExtensionsConfig", "Certificates")


def openssl(*words, given: bytes = b"") -> bytes:
    return subprocess.run(["openssl", *map(str, words)], input=given, check=True, capture_output=True).stdout


class Fabric(Azure):
    """A replacement for Azure: all services that cloud-init's Azure data source and the guest agent use."""

    def __init__(self, name: str, lookup, directory: Path, certificates: Path):
        super().__init__(name, lambda host: STORAGE_ADDRESS if host == STORAGE else lookup(host))
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificates / "registry.crt", certificates / "registry.key")
        self.storage = HttpStandIn(self._storage, tls)
        self.incarnation, self.has_custom_data = 1, True
        self.reprovision_data = ""  # the document of such a VM once it is given away
        self.statuses: list[tuple[float, dict]] = []  # when (monotonic) and what: every status blob that was uploaded
        self.written_events: inotify.Arrivals | None = None  # the names of the guest agent events that the node wrote
        self._plugin = ""  # the script extension of the goal state
        self._model = threading.Lock()
        # The certificate that protects settings in transit; the agent gets it with its key.
        self._key, self._certificate = directory / "tenant.key", directory / "tenant.crt"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "30", "-subj", "/CN=TenantEncryptionCert", "-keyout", self._key, "-out", self._certificate)

    def start(self, ns: Namespace, address: str, mac: str):
        super().start(ns, address, mac)
        ns.ip("addr", "add", f"{STORAGE_ADDRESS}/32", "dev", "lo", "scope", "host")
        self.storage.start(ns, STORAGE_ADDRESS, 443)

    def stop(self):
        super().stop()
        self.storage.stop()

    # -- the model of the VM

    def run(self, command: str, sequence: int = 0):
        protected = openssl("cms", "-encrypt", "-binary", "-aes256", "-outform", "DER", self._certificate, given=json.dumps({"commandToExecute": command}).encode())
        thumbprint = hashlib.sha1(openssl("x509", "-in", self._certificate, "-outform", "DER")).hexdigest().upper()
        settings = {"runtimeSettings": [{"handlerSettings": {
            "protectedSettingsCertThumbprint": thumbprint, "protectedSettings": base64.b64encode(protected).decode(), "publicSettings": {}}}]}
        manifest = f"https://{STORAGE}/{HANDLER}/manifest.xml"
        with self._model:
            self._plugin = (
                f'<Plugins><Plugin name="{HANDLER}" version="{VERSION}" location="{manifest}" failoverlocation="{manifest}" state="enabled" '
                'autoUpgrade="false" runAsStartupTask="false" isJson="true" useExactVersion="true"/></Plugins>'
                f'<PluginSettings><Plugin name="{HANDLER}" version="{VERSION}"><RuntimeSettings seqNo="{sequence}">'
                f"{escape(json.dumps(settings))}</RuntimeSettings></Plugin></PluginSettings>")
            self.incarnation += 1

    def _metadata(self, request: Request) -> tuple[int, str]:
        if request.path.startswith("/metadata/reprovisiondata?") and request.headers.get("Metadata", "").lower() == "true":
            return (200, self.reprovision_data) if self.reprovision_data else (404, "")
        return super()._metadata(request)

    # -- what the node has reported

    def handler_status(self, sequence: int, status: str, timeout: float, since: float = 0) -> dict:
        """The first status blob after this time (monotonic) in which the handler reports this sequence number with this status. Waits for it."""
        def found():
            for when, blob in [s for s in self.statuses if s[0] >= since]:
                for handler in blob["aggregateStatus"]["handlerAggregateStatus"]:
                    settings = handler.get("runtimeSettingsStatus", {})
                    if handler["handlerName"] == HANDLER and settings.get("sequenceNumber") == sequence and settings["settingsStatus"]["status"]["status"] == status:
                        return {"when": when, "blob": blob, "message": settings["settingsStatus"]["status"]["formattedMessage"]["message"]}
            return None
        if not (told := self.wire.wait(found, timeout)):
            raise TimeoutError(f"no status blob reported {status} for sequence number {sequence} within {timeout:.0f} s; the last was {self.statuses[-1:]}")
        return told

    def telemetry(self) -> list[dict[str, str]]:
        """The handler's events that the agent has sent, each as its parameters."""
        found = []
        for _, path, body in self.wire.posts:
            if path == "/machine?comp=telemetrydata":
                # Each event is a separate document, as text.
                for event in re.findall(r"<!\[CDATA\[(.*?)\]\]>", body, re.DOTALL):
                    params = {p.get("Name"): p.get("Value") for p in xml.etree.ElementTree.fromstring(f"<e>{event}</e>").iter("Param")}
                    if params.get("EventName", "").startswith(HANDLER):
                        found.append(params)
        return found

    # -- wire server and HostGAPlugin

    def _wire(self, request: Request) -> tuple[int, str]:
        route, _, query = request.path.partition("?")
        if request.port == PLUGIN_PORT:
            return self._host_plugin(route, request)
        asked = {k.lower(): v[0].lower() for k, v in urllib.parse.parse_qs(query).items()}
        if asked.get("comp") == "versions":
            return 200, "<Versions><Preferred><Version>2015-04-05</Version></Preferred><Supported><Version>2012-11-30</Version></Supported></Versions>"
        if asked.get("comp") == "goalstate":
            return 200, self._goal_state()
        if asked.get("comp") in ("telemetrydata", "roleproperties"):
            return 200, ""
        if asked.get("comp") == "config":
            make = {"hostingenvironmentconfig": self._hosting, "sharedconfig": self._shared, "extensionsconfig": self._extensions,
                    "certificates": lambda: self._certificates(request.headers["x-ms-guest-agent-public-x509-cert"])}
            return 200, make[asked["type"]]()
        return super()._wire(request)

    def _host_plugin(self, route: str, request: Request) -> tuple[int, str]:
        if route == "/versions":
            return 200, '["2015-09-01"]'
        if route == "/health":
            return 200, ""
        # To the agent, which sends a version: this host has no vmSettings, so the agent requests the goal state.
        if route == "/vmSettings" and request.headers.get("x-ms-version"):
            return 404, ""
        if route == "/status" and request.method == "PUT":
            put = json.loads(request.body)
            self._take_blob(urllib.parse.urlsplit(put["requestUri"]).path, base64.b64decode(put.get("content", "")))
            return 200, ""
        return super()._wire(request)

    def _goal_state(self) -> str:
        instance = f"{DEPLOYMENT}._{self.name}"
        uri = f"http://{WIRE}:80/machine/{CONTAINER}/{instance}?comp=config"
        configs = "".join(f"<{name}>{uri}&amp;type={name[0].lower()}{name[1:]}&amp;incarnation={self.incarnation}</{name}>" for name in CONFIGS)
        return f"""\
<?xml version="1.0" encoding="utf-8"?>
<GoalState xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Version>2012-11-30</Version><Incarnation>{self.incarnation}</Incarnation>
<Machine><ExpectedState>Started</ExpectedState></Machine><Container><ContainerId>{CONTAINER}</ContainerId><RoleInstanceList><RoleInstance>
<InstanceId>{instance}</InstanceId><State>Started</State><Configuration>{configs}<ConfigName>{DEPLOYMENT}.{self.incarnation}.{instance}.1.xml</ConfigName>
</Configuration></RoleInstance></RoleInstanceList></Container></GoalState>
"""

    def _hosting(self) -> str:
        return (f'<HostingEnvironmentConfig version="1.0.0.0" goalStateIncarnation="{self.incarnation}"><Deployment name="{DEPLOYMENT}"/>'
                f'<Incarnation number="{self.incarnation}" instance="_{self.name}"/><Role name="MachineRole"/></HostingEnvironmentConfig>')

    def _shared(self) -> str:
        return (f'<SharedConfig version="1.0.0.0" goalStateIncarnation="{self.incarnation}"><Deployment name="{DEPLOYMENT}"/><Role name="MachineRole"/>'
                f'<Instances><Instance id="_{self.name}" address="{self.address}"/></Instances></SharedConfig>')

    def _extensions(self) -> str:
        blob = escape(f"https://{STORAGE}/$system/{self.name}.status?sv=2018-03-28&sr=b&sk=system-1&sig=e2e&sp=rw")
        with self._model:
            return f"""\
<Extensions version="1.0.0.0" goalStateIncarnation="{self.incarnation}"><GuestAgentExtension><GAFamilies><GAFamily><Name>Prod</Name>
<Uris><Uri>https://{STORAGE}/agent/manifest.xml</Uri></Uris></GAFamily></GAFamilies></GuestAgentExtension>{self._plugin}
<StatusUploadBlob statusBlobType="BlockBlob">{blob}</StatusUploadBlob>
<InVMGoalStateMetaData inSvdSeqNo="{self.incarnation}" createdOnTicks="{638300000000000000 + self.incarnation}" activityId="{DEPLOYMENT}" correlationId="{CONTAINER}"/>
</Extensions>
"""

    def _certificates(self, transport: str) -> str:
        """The tenant's key and certificate, readable with the key of the certificate in the request."""
        bundle = openssl("pkcs12", "-export", "-inkey", self._key, "-in", self._certificate, "-passout", "pass:")
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as recipient:
            recipient.write(f"-----BEGIN CERTIFICATE-----\n{transport}\n-----END CERTIFICATE-----\n")
            recipient.flush()
            sealed = openssl("cms", "-encrypt", "-binary", "-aes128", "-outform", "DER", recipient.name, given=bundle)
        return (f"<CertificateFile><Version>2012-11-30</Version><Incarnation>{self.incarnation}</Incarnation>"
                f"<Format>Pkcs7BlobWithPfxContents</Format><Data>{base64.encodebytes(sealed).decode()}</Data></CertificateFile>")

    # -- storage

    def _storage(self, request: Request) -> tuple[int, str | bytes]:
        route = request.path.partition("?")[0]
        if request.method == "PUT":
            self._take_blob(route, request.body)
            return 201, ""
        plugin = f"<Plugin><Version>{VERSION}</Version><Uris><Uri>https://{STORAGE}/{HANDLER}/{VERSION}.zip</Uri></Uris></Plugin>"
        if route == f"/{HANDLER}/manifest.xml":
            return 200, f"<PluginVersionManifest><Plugins>{plugin}</Plugins></PluginVersionManifest>"
        if route == "/agent/manifest.xml":  # no newer agent
            return 200, "<PluginVersionManifest><Plugins></Plugins></PluginVersionManifest>"
        if route == f"/{HANDLER}/{VERSION}.zip":
            return 200, handler_package()
        return 404, ""

    def _take_blob(self, route: str, content: bytes):
        if route == f"/$system/{self.name}.status" and content:
            self.statuses.append((time.monotonic(), json.loads(content)))


def handler_package() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(p for p in PACKAGE.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
            archive.write(file, file.relative_to(PACKAGE))
    return packed.getvalue()
