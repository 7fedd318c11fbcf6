"""An HTTP proxy with a password: it tunnels connections that a node cannot make directly, and records their targets."""

import base64
import socket
import threading

from net import Namespace


class Proxy:
    def __init__(self, ns: Namespace, address: str, port: int, user: str, password: str, lookup):
        self.tunnels: list[str] = []
        self.refused: list[str] = []
        self._ns, self._lookup = ns, lookup
        self._credential = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self._listener = ns.listen(address, port)
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(client,), daemon=True).start()

    def _one(self, client: socket.socket):
        with client:
            request = client.makefile("rb")
            first = request.readline().decode(errors="replace").split()
            headers = dict(line.decode(errors="replace").rstrip().split(": ", 1) for line in iter(request.readline, b"\r\n") if b": " in line)
            if len(first) != 3 or first[0] != "CONNECT" or headers.get("Proxy-Authorization") != self._credential:
                self.refused.append(" ".join(first))
                client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                return
            host, _, port = first[1].rpartition(":")
            self.tunnels.append(host)
            with self._ns.new_socket() as server:
                try:
                    server.connect((self._lookup(host) or host, int(port)))
                except OSError:
                    client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
                    return
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                back = threading.Thread(target=pump, args=(server, client), daemon=True)
                back.start()
                pump(client, server)
                back.join()


def pump(source: socket.socket, sink: socket.socket):
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one of them closed the connection
