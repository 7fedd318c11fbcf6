"""Azure's DHCP: every machine that was announced gets its address, the route to the services of Azure, and the wire server's address.

One server answers for all nodes of a run, on the bridge that their cables end in.
"""

import socket
import struct
import threading

from azure import IMDS, WIRE
from net import Namespace

MAGIC = b"\x63\x82\x53\x63"
DISCOVER, OFFER, REQUEST, ACK = 1, 2, 3, 5


class DhcpServer:
    def __init__(self, gateway: str, prefix: int):
        self.gateway, self.mask = gateway, struct.pack("!I", 0xFFFFFFFF << (32 - prefix) & 0xFFFFFFFF)
        self.addresses: dict[str, str] = {}  # of a hardware address (lower case, with colons)
        self.leases: list[str] = []  # the hardware addresses that got one, in that order

    def start(self, ns: Namespace, device: str):
        s = ns.new_socket(socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode() + b"\0")
        s.bind(("0.0.0.0", 67))
        threading.Thread(target=self._serve, args=(s,), daemon=True).start()

    def _serve(self, s: socket.socket):
        while True:
            query = s.recv(4096)
            if reply := self.reply(query):
                # The client has no address yet.
                s.sendto(reply, ("255.255.255.255", 68))

    def reply(self, query: bytes) -> bytes | None:
        kind = options(query).get(53, b"\0")[0]
        mac = query[28:34].hex(":")
        if kind not in (DISCOVER, REQUEST) or mac not in self.addresses:
            return None
        if kind == REQUEST:
            self.leases.append(mac)
        own, gateway, wire, imds = map(socket.inet_aton, (self.addresses[mac], self.gateway, WIRE, IMDS))
        # The fixed part: an answer on Ethernet to this transaction, for this address. The fields for a boot file are empty.
        fixed = struct.pack("!4B4s2s2s4s4s4s4s16s192x", 2, 1, 6, 0, query[4:8], b"\0\0", query[10:12], b"\0" * 4, own, gateway, b"\0" * 4, query[28:44])
        told = {
            53: bytes([OFFER if kind == DISCOVER else ACK]), 54: gateway, 51: b"\xff" * 4, 1: self.mask, 3: gateway, 6: wire,
            15: b"internal.cloudapp.net", 245: wire,
            # Classless routes: the default one and those to the services of Azure, by which cloud-init knows the primary card.
            121: b"\0" + gateway + b"\x20" + wire + gateway + b"\x20" + imds + gateway,
        }
        return fixed + MAGIC + b"".join(bytes([code, len(value)]) + value for code, value in told.items()) + b"\xff"


def options(packet: bytes) -> dict[int, bytes]:
    found, at = {}, 240
    while at + 1 < len(packet) and packet[at] != 255:
        if packet[at] == 0:  # padding has no length
            at += 1
            continue
        found[packet[at]] = packet[at + 2:at + 2 + packet[at + 1]]
        at += 2 + packet[at + 1]
    return found
