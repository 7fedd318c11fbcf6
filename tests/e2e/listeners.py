"""The places where the failure of a node is reported without logging in: a webhook, the hypervisor's key-value pool, the kernel's log."""

import contextlib
import json
import os
import queue
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from controlplane import ADDRESS

POOL = "/var/lib/hyperv/.kvp_pool_1"
SETTINGS = "/etc/aks-node-controller/report.json"
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
KEY, VALUE = 512, 2048


class Webhook:
    """An HTTPS service beside the API server that the node trusts and reports to. Must be created before the node boots."""

    def __init__(self, t, path: str = "/hook?key=0f1e2d3c", port: int = 8443):
        self.posts: queue.SimpleQueue = queue.SimpleQueue()
        name = f"hooks-{t.node.name}.example"
        key, certificate = t.node.dir / "hook.key", t.node.dir / "hook.crt"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "30", "-subj",
                        f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        t.node.write(AUTHORITIES, t.node.read(AUTHORITIES) + certificate.read_text())
        t.node.names[name] = ADDRESS
        t.node.write(SETTINGS, json.dumps({"webhook": f"https://{name}:{port}{path}"}), 0o600)
        self._server = ThreadingHTTPServer((ADDRESS, port), self._handler(), bind_and_activate=False)
        self._server.daemon_threads = True
        self._server.socket.close()
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        self._server.socket = tls.wrap_socket(t.cp.ns.listen(ADDRESS, port), server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def _handler(self):
        posts = self.posts

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(204)
                self.end_headers()
                posts.put((self.path, self.headers["Content-Type"], json.loads(body)))

            def log_message(self, *_):
                pass

        return Handler


class KernelLog:
    """The lines that are written to the kernel's log from now on, as on the serial console of a VM. Nodes here share the log of this machine."""

    def __init__(self):
        self._fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self._fd, 0, os.SEEK_END)

    def errors(self) -> list[str]:
        """The texts of all records of level error."""
        found = []
        with contextlib.suppress(BlockingIOError):
            while True:
                try:
                    record = os.read(self._fd, 8192).decode(errors="replace")
                except BrokenPipeError:  # overrun: the next read continues with the oldest remaining record
                    continue
                about, text = record.split(";", 1)
                if int(about.split(",")[0]) & 7 == 3:
                    found.append(text.split("\n")[0])
        return found

    def close(self):
        os.close(self._fd)


def make_pool(t):
    t.node.write(POOL, b"")


def pool(t) -> dict[str, str]:
    raw = t.node.target(POOL).read_bytes()
    assert len(raw) % (KEY + VALUE) == 0, f"the pool has half a record: {len(raw)} bytes"
    records = [raw[i:i + KEY + VALUE] for i in range(0, len(raw), KEY + VALUE)]
    return {r[:KEY].rstrip(b"\0").decode(): r[KEY:].rstrip(b"\0").decode() for r in records}
