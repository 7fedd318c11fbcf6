"""A load balancer for a Service of the tests: TCP connections to one address go to the pods that the cluster calls ready.

It stands for the cloud's load balancer and kube-proxy, and learns its endpoints as they do: from the EndpointSlices, by watching. As with them,
it takes a while until nothing goes to a pod any more that has left, and each connection goes to one pod, chosen at random: if that pod refuses it, so
does the balancer. Refused connections are recorded.
"""

import http.client
import random
import socket
import struct
import threading
import time

from kubeapi import ApiError
from net import Namespace


# Seconds. The pods have to serve for longer than this after they have left.
LAG = 2


class Balancer:
    def __init__(self, cluster, namespace: str, service: str, address: str, port: int):
        self.cp, self.where, self.service = cluster, f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices", service
        self.ready: list[tuple[str, int]] = []  # as reported by the cluster
        self._used: list[tuple[str, int]] = []  # as this balancer knows
        self.refused: list[float] = []  # when connections were refused
        self._changed = threading.Condition()
        self._listener = cluster.ns.listen(address, port)
        for work in (self._follow, self._accept):
            threading.Thread(target=work, daemon=True).start()

    def wait_ready(self, count: int, timeout: float):
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.ready) >= count, timeout):
                raise TimeoutError(f"{self.service} has {len(self.ready)} ready endpoints, not {count}, after {timeout:.0f} s")

    def stop(self):
        self._listener.close()

    def _follow(self):
        slices: dict[str, list[tuple[str, int]]] = {}
        while self._listener.fileno() >= 0:
            try:
                for event in self.cp.api.watch(f"{self.where}?labelSelector=kubernetes.io%2Fservice-name%3D{self.service}", time.monotonic() + 3600):
                    found = event["object"]
                    slices[found["metadata"]["name"]] = [] if event["type"] == "DELETED" else list(endpoints(found))
                    with self._changed:
                        self.ready = sorted(e for each in slices.values() for e in each)
                        self._used = sorted({*self._used, *self.ready})
                        self._changed.notify_all()
                    threading.Timer(LAG, self._forget).start()
            except (OSError, ApiError, http.client.HTTPException):
                pass
            # Only reached after the watch broke off: give the API server a moment to restart.
            threading.Event().wait(0.1)

    def _forget(self):
        with self._changed:
            self._used = list(self.ready)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # stopped
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket):
        if (pod := self._connect(self.cp.ns)) is None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset, as the pod did
            return client.close()
        back = threading.Thread(target=copy, args=(pod, client), daemon=True)
        back.start()
        copy(client, pod)
        back.join()
        client.close()
        pod.close()

    def _connect(self, ns: Namespace) -> socket.socket | None:
        with self._changed:
            chosen = random.choice(self._used) if self._used else None
        pod = ns.new_socket()
        pod.settimeout(5)
        try:
            if chosen is not None:
                pod.connect(chosen)
                pod.settimeout(None)
                return pod
        except OSError:
            pass
        pod.close()
        self.refused.append(time.monotonic())
        return None


def endpoints(slice_: dict):
    for endpoint in slice_.get("endpoints") or []:
        if endpoint.get("conditions", {}).get("ready"):
            for address in endpoint["addresses"]:
                yield address, slice_["ports"][0]["port"]


def copy(source: socket.socket, to: socket.socket):
    """Copies until the source ends; the other direction continues."""
    try:
        while data := source.recv(65536):
            to.sendall(data)
    except OSError:
        pass
    for side, how in ((to, socket.SHUT_WR), (source, socket.SHUT_RD)):
        try:
            side.shutdown(how)
        except OSError:
            pass
