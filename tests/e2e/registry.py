"""A container registry for nodes to pull images and programs from: tokens, indexes, manifests and files over HTTPS, as public registries
serve them.

Files live under another host name, where no token may be shown, as registries keep theirs in a storage service. A case can have it
misbehave: `cut` answers with a file break off halfway, `busy` requests for a manifest are answered with 503.
"""

import gzip
import hashlib
import io
import json
import ssl
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from net import Namespace

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


class Registry:
    def __init__(self, ns: Namespace, address: str, port: int, certificate: Path, key: Path, host: str, storage: str):
        self.host, self.storage = host, storage
        self.cut = self.busy = 0
        self.requests: list[str] = []
        self._blobs: dict[str, bytes] = {}
        self._manifests: dict[tuple[str, str], tuple[str, bytes]] = {}
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer((address, port), self._handler(), bind_and_activate=False)
        self._server.daemon_threads = True
        self._server.socket.close()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        # The thread of each connection performs the handshake.
        self._server.socket = context.wrap_socket(ns.listen(address, port), server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def add(self, repository: str, tag: str, files: dict[str, bytes], architecture: str):
        """An artifact of these files, for one platform, behind an index."""
        layers = [self._describe("application/octet-stream", content) | {"annotations": {"org.opencontainers.image.title": name}}
                  for name, content in files.items()]
        self._publish(repository, tag, {"layers": layers}, architecture)

    def add_image(self, repository: str, tag: str, layer: bytes, command: list[str], architecture: str):
        """A container image of one layer, a tar archive."""
        config = {"architecture": architecture, "os": "linux", "config": {"Entrypoint": command, "Env": ["PATH=/bin"]},
                  "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}}
        self._publish(repository, tag, {
            "config": self._describe("application/vnd.oci.image.config.v1+json", json.dumps(config).encode()),
            "layers": [self._describe("application/vnd.oci.image.layer.v1.tar+gzip", gzip.compress(layer, 1, mtime=0))]}, architecture)

    def add_layout(self, repository: str, layout):
        """The images of an OCI image layout (packaging/container.py), under the tags that its index gives them."""
        for digest, content in layout.blobs.items():
            self._blobs[f"sha256:{digest}"] = content
        for entry in layout.listed:
            content = layout.blobs[entry["digest"].removeprefix("sha256:")]
            for name in filter(None, (entry["digest"], entry.get("annotations", {}).get("org.opencontainers.image.ref.name"))):
                self._manifests[repository, name] = entry["mediaType"], content

    def _publish(self, repository: str, tag: str, manifest: dict, architecture: str):
        entry = self._add_manifest(repository, None, MANIFEST, manifest)
        self._add_manifest(repository, tag, INDEX, {"manifests": [entry | {"platform": {"os": "linux", "architecture": architecture}}]})

    def _describe(self, kind: str, content: bytes) -> dict:
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        self._blobs[digest] = content
        return {"mediaType": kind, "digest": digest, "size": len(content)}

    def _add_manifest(self, repository: str, tag: str | None, kind: str, manifest: dict) -> dict:
        body = json.dumps({"schemaVersion": 2, "mediaType": kind, **manifest}).encode()
        entry = {"mediaType": kind, "digest": "sha256:" + hashlib.sha256(body).hexdigest(), "size": len(body)}
        for name in filter(None, (tag, entry["digest"])):
            self._manifests[repository, name] = kind, body
        return entry

    def _takes(self, what: str) -> bool:
        with self._lock:
            left = getattr(self, what)
            setattr(self, what, max(left - 1, 0))
            return left > 0

    def _handler(self):
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                url = urlsplit(self.path)
                registry.requests.append(f"{self.headers.get('Host', '')}{self.path}")
                token = self.headers.get("Authorization", "")
                if url.path == "/token":
                    return self.answer(200, json.dumps({"token": "for-" + parse_qs(url.query)["scope"][0]}).encode())
                if url.path.startswith("/storage/"):
                    return self.give_file(url) if not token and url.query == "sig=1" else self.answer(403)
                # A client that lists the repositories without a token learns that it needs none.
                if url.path in ("/v2", "/v2/", "/v2/_catalog"):
                    return self.answer(200, b'{"repositories": []}')
                parts = url.path.removeprefix("/v2/").rsplit("/", 2)
                if not url.path.startswith("/v2/") or len(parts) != 3:
                    return self.answer(404)
                repository, kind, name = parts
                if token != f"Bearer for-repository:{repository}:pull":
                    return self.answer(401, headers={"WWW-Authenticate": f'Bearer realm="https://{registry.host}/token",'
                                                     f'service="{registry.host}",scope="repository:{repository}:pull"'})
                if kind == "manifests" and (found := registry._manifests.get((repository, name))):
                    if registry._takes("busy"):
                        return self.answer(503)
                    digest = "sha256:" + hashlib.sha256(found[1]).hexdigest()
                    return self.answer(200, found[1], {"Docker-Content-Digest": digest, "Content-Type": found[0]})
                if kind == "blobs" and name in registry._blobs:
                    return self.answer(307, headers={"Location": f"https://{registry.storage}/storage/{name}?sig=1"})
                self.answer(404)

            do_HEAD = do_GET

            def give_file(self, url):
                content = registry._blobs.get(url.path.removeprefix("/storage/"), b"")
                start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
                self.send_response(206 if start else 200)
                self.send_header("Content-Length", str(len(content) - start))
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
                self.end_headers()
                self.wfile.write(content[start:len(content) // 2] if registry._takes("cut") else content[start:])

            def answer(self, status: int, body: bytes = b"", headers: dict = {}):
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def log_message(self, *args):
                pass

            def handle(self):
                try:
                    super().handle()
                except OSError:
                    pass  # the node gave up or lost power

        return Handler


def layer(files: dict[str, bytes], links: dict[str, str]) -> bytes:
    """A tar archive of these programs and links."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            archive.addfile(entry, io.BytesIO(content))
        for name, target in links.items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return out.getvalue()
