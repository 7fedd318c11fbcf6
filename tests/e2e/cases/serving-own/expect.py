"""The certificate names this node, and only root can read its key."""

import stat

import serving


def check(t):
    text = t.node.run(["openssl", "x509", "-in", "/etc/kubernetes/certs/kubeletserver.crt", "-noout", "-subject", "-ext", "subjectAltName",
                       "-checkend", str(7200 * 86400)]).stdout
    t.check(f"CN={t.node.name}" in text.replace(" ", "") and f"DNS:{t.node.name}" in text, f"the certificate is for somebody else: {text}")
    mode = stat.S_IMODE(t.node.path("/etc/kubernetes/certs/kubeletserver.key").stat().st_mode)
    t.check(mode == 0o600, f"its key has mode {mode:o}")
    in_effect = serving.in_effect(t)
    t.check(in_effect["tlsCertFile"] == "/etc/kubernetes/certs/kubeletserver.crt" and not in_effect.get("serverTLSBootstrap"), f"in effect: {in_effect}")
