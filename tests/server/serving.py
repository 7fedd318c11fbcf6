"""Starts `sunup serve` and talks to it, for the tests of this folder."""
import http.client
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import threading
import unittest

SUNUP = os.environ.get("SUNUP", "sunup")
SOURCE = pathlib.Path(os.environ.get("SUNUP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
ENV = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
CONFIG = (SOURCE / "examples" / "node" / "config.json").read_text()
PATIENCE = 60  # seconds until a test gives up; nothing is measured


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Server:
    """A running server. `lines` are those of its log, without the ones about where it listens."""

    def __init__(self, *flags, listeners=1, **popen):
        self.process = subprocess.Popen([SUNUP, "serve", "--port", "0", *flags], stderr=subprocess.PIPE, text=True, env=ENV, **popen)
        self.listening = []
        for _ in range(listeners):
            line = self.process.stderr.readline()
            found = re.search(r"listening on (.*)", line)
            if not found:
                raise AssertionError(f"the server did not start: {line}{self.process.stderr.read()}")
            self.listening.append(found[1])
        ports = [int(name.rsplit(":", 1)[1]) for name in self.listening if not name.startswith("unix:")]
        self.port = ports[0] if ports else None
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True)
        self.reader.start()

    @classmethod
    def with_log(cls, descriptor):
        """A server whose log is not read; therefore the port must be known before."""
        server = cls.__new__(cls)
        server.port = free_port()
        server.process = subprocess.Popen([SUNUP, "serve", "--port", str(server.port)], stderr=descriptor, env=ENV)
        while True:
            try:
                server.connect().close()
                return server
            except ConnectionRefusedError:
                if server.process.poll() is not None:
                    raise AssertionError("the server did not start") from None
                threading.Event().wait(0.02)

    def connect(self, timeout=PATIENCE):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def ask(self, method, path, body=None, headers=None, tls=None):
        where = ("127.0.0.1", self.port)
        connection = http.client.HTTPSConnection(*where, timeout=PATIENCE, context=tls) if tls else http.client.HTTPConnection(*where, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer
        finally:
            connection.close()

    def end(self):
        """SIGTERM. Returns the exit code and the log."""
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(timeout=PATIENCE)
        self.reader.join()
        self.process.stderr.close()
        return code, [json.loads(line) for line in self.lines]

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process.stderr and not self.process.stderr.closed:
            self.reader.join()
            self.process.stderr.close()


class Case(unittest.TestCase):
    def serve(self, *flags, **more):
        server = Server(*flags, **more)
        self.addCleanup(server.kill)
        return server


def raw(connection, text):
    connection.sendall(text.encode() if isinstance(text, str) else text)


def read_answer(connection):
    """Status, header fields (lower case) and body of one answer on an open connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None if not data else (0, {}, data)
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    lines = head.decode().split("\r\n")
    status = int(lines[0].split()[1])
    fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
    while len(body) < int(fields.get("content-length", 0)):
        more = connection.recv(65536)
        if not more:
            break
        body += more
    return status, fields, body


def openssl(folder, *words, stdin=None):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, input=stdin)


def make_ca(folder, name="ca"):
    openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.crt",
            "-days", "2", "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE")


def make_certificate(folder, name, subject, ca="ca"):
    openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", subject)
    pathlib.Path(folder, f"{name}.ext").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{ca}.crt", "-CAkey", f"{ca}.key", "-CAcreateserial", "-days", "2", "-out", f"{name}.crt",
            "-extfile", f"{name}.ext")


def trusting(folder, ca="ca", certificate=None):
    context = ssl.create_default_context(cafile=str(pathlib.Path(folder, f"{ca}.crt")))
    if certificate:
        context.load_cert_chain(str(pathlib.Path(folder, f"{certificate}.crt")), str(pathlib.Path(folder, f"{certificate}.key")))
    return context
