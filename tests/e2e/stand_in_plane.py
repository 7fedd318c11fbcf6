"""In place of a control plane: answers HTTPS with the right certificate and keeps nothing. For ./dev demo --quick."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from controlplane import ADDRESS, ControlPlane, make_pki


class StandInPlane(ControlPlane):
    def start(self):
        self.lay_network()
        make_pki(self.dir)
        self.registry = self._start_registry()
        self._server = ThreadingHTTPServer((ADDRESS, 443), Handler, bind_and_activate=False)
        self._server.daemon_threads = True
        self._server.socket.close()
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.dir / "apiserver.crt", self.dir / "apiserver.key")
        self._server.socket = tls.wrap_socket(self.ns.listen(ADDRESS, 443), server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = b'{"gitVersion":"stand-in"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # a client that only checks the connection closes it early
