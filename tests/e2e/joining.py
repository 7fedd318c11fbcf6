"""`sunup config check --cluster`: the response of the API server to a case's config, before a node is created."""

import json
import subprocess

from controlplane import ADDRESS


# Replaces /etc/hosts for one program.
WITH_HOSTS = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"']


def findings(t, name: str = ADDRESS) -> dict[str, str]:
    """The rules of --cluster that the config of the case violates, with their messages. Runs in the control plane's network, which has no
    name server, so the API server is named by its address or by a name of /etc/hosts."""
    config = t.config()
    config["api_server_config"]["api_server_name"] = name
    hosts = t.node.dir / "hosts"
    hosts.write_text(f"127.0.0.1 localhost\n{ADDRESS} {name}\n")
    file = t.node.dir / "asked.json"
    file.write_text(json.dumps(config))
    argv = [*WITH_HOSTS, hosts, t.binaries / "sunup", "config", "check", "--cluster", "--format", "json", file]
    done = subprocess.run(t.cp.ns.command(argv), capture_output=True, text=True, check=False, timeout=60)
    token = config["bootstrapping_config"]["tls_bootstrapping_token"]
    t.check(token not in done.stdout + done.stderr, "config check --cluster shows the token")
    found = json.loads(done.stdout)["files"][0]["findings"]
    return {f["rule"]: f["message"] for f in found if f["rule"].startswith("cluster-")}
