"""A token that was valid until an hour ago. The real API server refuses it, whether or not its secret has been cleaned up."""

import datetime
import secrets
import string

import joining


def values(t):
    alphabet = string.ascii_lowercase + string.digits
    ident, secret = ("".join(secrets.choice(alphabet) for _ in range(n)) for n in (6, 16))
    expired = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
    t.cp.api.request("POST", "/api/v1/namespaces/kube-system/secrets", {
        "metadata": {"name": f"bootstrap-token-{ident}"}, "type": "bootstrap.kubernetes.io/token",
        "stringData": {"token-id": ident, "token-secret": secret, "usage-bootstrap-authentication": "true",
                       "expiration": expired.strftime("%Y-%m-%dT%H:%M:%SZ")}})
    return {"@EXPIRED@": f"{ident}.{secret}"}


def check(t):
    found = joining.findings(t)
    t.check("the token has expired" in found.get("cluster-token", ""), f"config check --cluster: {found}")
