"""kubelet serves with the certificate that the cluster issues; the actual settings of kubelet are queried from kubelet."""

import json

import serving


def check(t):
    t.node.wait_for_path("/var/lib/kubelet/pki/kubelet-server-current.pem", 60)
    in_effect = serving.in_effect(t)
    t.check(in_effect["serverTLSBootstrap"] and in_effect["rotateCertificates"], f"in effect: {in_effect}")
    t.check(in_effect["eventRecordQPS"] == 0 and in_effect["maxPods"] == 110, f"in effect: {json.dumps(in_effect)}")
    t.check(in_effect["authentication"]["anonymous"]["enabled"] is False and in_effect["authorization"]["mode"] == "Webhook", f"in effect: {in_effect}")
