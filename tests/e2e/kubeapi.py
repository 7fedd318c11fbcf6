"""A minimal client for the API server of the tests: requests and watches, from outside its network namespace."""

import http.client
import json
import ssl
import threading
import time

from net import Namespace


class ApiError(Exception):
    def __init__(self, status: int, text: str):
        super().__init__(f"API server answered {status}: {text[:300]}")
        self.status = status


class Api:
    def __init__(self, ns: Namespace, address: str, ca, cert, key):
        self.ns, self.address = ns, address
        self.tls = ssl.create_default_context(cafile=str(ca))
        self.tls.load_cert_chain(str(cert), str(key))

    def _connect(self, timeout: float) -> http.client.HTTPSConnection:
        raw = self.ns.new_socket()
        try:
            raw.settimeout(timeout)
            raw.connect((self.address, 443))
            connection = http.client.HTTPSConnection(self.address, timeout=timeout)
            connection.sock = self.tls.wrap_socket(raw, server_hostname=self.address)
        except BaseException:
            raw.close()
            raise
        return connection

    def request(self, method: str, path: str, body=None, timeout: float = 10.0):
        """The decoded response. Raises ApiError for a refusal and OSError if there is no response."""
        connection = self._connect(timeout)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status >= 300:
                raise ApiError(answer.status, text)
            return json.loads(text) if text.startswith(("{", "[")) else text
        finally:
            connection.close()

    def watch(self, path: str, deadline: float):
        """Events of a watch as they arrive, until the deadline (time.monotonic). Ends early if the API server stops."""
        connection = self._connect(max(0.1, deadline - time.monotonic()))
        try:
            connection.request("GET", path + ("&" if "?" in path else "?") + "watch=1")
            answer = connection.getresponse()
            while (left := deadline - time.monotonic()) > 0:
                if connection.sock:
                    connection.sock.settimeout(left)
                line = answer.readline()
                if not line:
                    return
                yield json.loads(line)
        except TimeoutError:
            return
        finally:
            connection.close()

    def wait_node(self, name: str, good, timeout: float) -> dict:
        """Waits until good(node) holds, by watching. Works also if the API server is restarted meanwhile."""
        deadline = time.monotonic() + timeout
        last = None
        while time.monotonic() < deadline:
            try:
                for event in self.watch(f"/api/v1/nodes?fieldSelector=metadata.name%3D{name}", deadline):
                    if event["type"] not in ("ADDED", "MODIFIED"):
                        continue
                    last = event["object"]
                    if good(last):
                        return last
            except (OSError, ApiError, http.client.HTTPException):
                pass
            # Only reached after the watch broke off: give the API server a moment to restart.
            threading.Event().wait(0.1)
        raise TimeoutError(f"node {name}: {describe(last)} after {timeout:.0f} s")


class Joining:
    """Watches the cluster for a node: when it registered and when it was Ready."""

    def __init__(self, api: Api, name: str, timeout: float, tell=lambda what: None):
        self.api, self.name, self.timeout, self.tell = api, name, timeout, tell
        self.registered = self.ready = 0.0
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self):
        deadline = time.monotonic() + self.timeout
        for event in self.api.watch(f"/api/v1/nodes?fieldSelector=metadata.name%3D{self.name}", deadline):
            now = time.monotonic()
            if not self.registered:
                self.registered = now
                self.tell("registered")
            if ready(event["object"]):
                self.ready = now
                self.tell("ready")
                return

    def result(self) -> tuple[float, float]:
        self.thread.join(self.timeout)
        if not self.ready:
            raise TimeoutError(f"{self.name} {'registered but was not Ready' if self.registered else 'did not register'} in {self.timeout:.0f} s")
        return self.registered, self.ready


def ready(node: dict) -> bool:
    return any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"].get("conditions", []))


def describe(node: dict | None) -> str:
    if node is None:
        return "never registered"
    for c in node["status"].get("conditions", []):
        if c["type"] == "Ready":
            return f"Ready={c['status']} ({c.get('reason', '')}: {c.get('message', '')})"
    return "registered, no conditions yet"
