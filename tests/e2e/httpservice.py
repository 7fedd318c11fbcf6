"""An HTTP service on an address of a node's network namespace. It runs in the runner and can be made to misbehave:

    node.azure.imds.script([{"status": 500, "times": 2}, {"delay": 1.5, "times": 1}])

Every request uses the first entry that has uses left; without any left the service works normally. An entry may have
  times   how often it applies (default: for ever)
  delay   seconds to wait before answering
  status  HTTP status instead of 200
  body    this text instead of the document (rubbish, say)
  hang    true: accept, never answer
  reset   true: accept, then reset the connection
  drip    seconds between the single bytes of the answer
"late" (the service is not there yet) is `start(after=SECONDS)`: nobody listens until then.
"""

import socket
import ssl
import struct
import threading
import time
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from net import Namespace


@dataclass
class Request:
    method: str
    port: int
    path: str  # with the query
    headers: Message
    body: bytes


class HttpStandIn:
    """Answers come from a function: Request to status and body."""

    def __init__(self, answer, tls: ssl.SSLContext | None = None):
        self.answer, self.tls = answer, tls
        self.requests: list[str] = []
        self.posts: list[tuple[float, str, str]] = []  # when (monotonic), path, body
        self._script: list[dict] = []
        self._lock = threading.Lock()
        self._news = threading.Condition()
        self._servers: list[ThreadingHTTPServer] = []
        self._stopping = threading.Event()
        self._timer = None

    def script(self, entries: list[dict]):
        with self._lock:
            self._script = [dict(e) for e in entries]

    def wait(self, holds, timeout: float):
        """Waits until holds(), which is called after every request, returns a true value, and returns that value."""
        with self._news:
            return self._news.wait_for(holds, timeout)

    def _tell(self):
        with self._news:
            self._news.notify_all()

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
            if self.tls:
                # The thread of the connection performs the handshake.
                server.socket = self.tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
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
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                service.requests.append(self.path)
                if self.command == "POST":
                    service.posts.append((time.monotonic(), self.path, body.decode(errors="replace")))
                service._tell()
                entry = service._next_entry()
                if service._stopping.wait(3600 if entry.get("hang") else entry.get("delay", 0)):
                    self.close_connection = True
                    return
                if entry.get("reset"):
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()
                    self.close_connection = True
                    return
                status, answer = service.answer(Request(self.command, self.server.server_address[1], self.path, self.headers, body))
                service._tell()
                status, answer = entry.get("status", status), entry.get("body", answer)
                data = answer if isinstance(answer, bytes) else answer.encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/xml; charset=utf-8" if data.startswith(b"<") else "application/json; charset=utf-8")
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

            do_PUT = do_POST = do_GET

            def log_message(self, *_):
                pass

            def handle(self):
                try:
                    super().handle()
                except (ConnectionError, TimeoutError, ssl.SSLError):
                    pass  # the node gave up or lost power

        return Handler
