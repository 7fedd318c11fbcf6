"""Network namespaces: all traffic between the nodes and their control plane stays inside these."""

import ctypes
import os
import socket
import struct
import subprocess
import threading

CLONE_NEWNET = 0x40000000
RTMGRP_LINK, RTM_NEWLINK = 1, 16
IFF_UP, IFF_LOOPBACK, IFF_RUNNING = 0x1, 0x8, 0x40


def ip(*words, check=True):
    subprocess.run(["ip", *map(str, words)], check=check, capture_output=not check)


def link_states(announced: bytes) -> list[bool]:
    """For each link in the announcement whether it is up."""
    states = []
    while len(announced) >= 28:
        size, kind = struct.unpack_from("=IH", announced)
        flags, = struct.unpack_from("=I", announced, 24)
        if kind == RTM_NEWLINK and not flags & IFF_LOOPBACK:
            states.append(flags & (IFF_UP | IFF_RUNNING) == IFF_UP | IFF_RUNNING)
        announced = announced[max(16, (size + 3) & ~3):]
    return states


class Namespace:
    def __init__(self, name: str):
        self.name, self.path = name, f"/run/netns/{name}"
        ip("netns", "add", name)
        self.ip("link", "set", "lo", "up")

    def ip(self, *words):
        ip("-n", self.name, *words)

    def command(self, argv: list) -> list:
        """argv, to be run inside. Only the network changes: `ip netns exec` would also replace /sys."""
        return ["nsenter", f"--net={self.path}", "--", *argv]

    def new_socket(self, kind=socket.SOCK_STREAM, family=socket.AF_INET) -> socket.socket:
        """A socket of this namespace for the runner itself. A socket stays in the namespace where it was created, so a short-lived thread can enter it."""
        box = []

        def make():
            try:
                libc = ctypes.CDLL(None, use_errno=True)
                fd = os.open(self.path, os.O_RDONLY)
                try:
                    if libc.setns(fd, CLONE_NEWNET) != 0:
                        raise OSError(ctypes.get_errno(), f"cannot enter {self.path}")
                finally:
                    os.close(fd)
                box.append(socket.socket(family, kind))
            except OSError as e:
                box.append(e)

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        if isinstance(box[0], OSError):
            raise box[0]
        return box[0]

    def listen(self, address: str, port: int, kind=socket.SOCK_STREAM) -> socket.socket:
        s = self.new_socket(kind)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind((address, port))
        if kind == socket.SOCK_STREAM:
            s.listen(64)
        return s

    def link_news(self) -> socket.socket:
        """Receives the kernel's announcements of changes of links."""
        news = self.new_socket(socket.SOCK_RAW, socket.AF_NETLINK)
        news.bind((0, RTMGRP_LINK))
        news.settimeout(30)
        return news

    def remove(self):
        ip("netns", "del", self.name, check=False)
