"""Each config separately: the files of one run are removed before the next. The last one is reported to a webhook that hangs."""

import json

import listeners
import package
from controlplane import ADDRESS

CONFIG = "/opt/azure/containers/aks-node-controller-config.json"
COMPLETE = "/opt/azure/containers/provision.complete"
RESULT = "/var/log/azure/aks/provision.json"


def drive(t):
    whole = t.config_text()
    t.boot()
    t.node.wait_booted()
    for name, text, says in (
            ("empty", "", "empty"), ("cut off", whole[:whole.index('"cluster_config"')], "ends here"), ("not JSON", whole.replace(":", "=", 1), ":2:"),
            ("twice", whole.replace('"version"', '"vm_size": "x", "version"', 1), "vm_size"),
            ("another version", whole.replace('"v1"', '"v99"', 1), "v99"), ("a list", "[]", "found a list"), ("missing", None, "no such file")):
        one(t, name, text, says)
    silent = t.cp.ns.listen(ADDRESS, 0)  # accepts connections and never responds
    t.node.write(listeners.SETTINGS, json.dumps({"webhook": f"https://{ADDRESS}:{silent.getsockname()[1]}/5ecret"}), 0o600)
    done = one(t, "with a webhook that hangs", "", "empty")
    silent.close()
    warning = next((json.loads(line) for line in done.stderr.splitlines() if "cannot announce the failure" in line), {})
    t.check((warning.get("to"), warning.get("error")) == ("webhook", "no answer"), f"the webhook that hangs: {done.stderr}")
    t.check("5ecret" not in done.stdout + done.stderr, "the webhook's address was logged")
    for unit in ("containerd.service", "kubelet.service"):
        t.check(t.node.unit_state(unit) == "inactive", f"{unit} was started")
    t.check(not t.node.exists("/etc/default/kubelet"), "a broken config changed the node")


def one(t, name: str, text: str | None, says: str):
    for path in (CONFIG, COMPLETE, RESULT):
        t.node.path(path).unlink(missing_ok=True)
    if text is not None:
        t.node.write(CONFIG, text, 0o600)
    done = t.node.run([package.CONTROLLER, "provision", "--mode", "native", f"--provision-config={CONFIG}"], check=False)
    t.check(done.returncode != 0, f"{name}: the provision succeeded")
    t.check(t.node.exists(COMPLETE) and t.node.exists(RESULT), f"{name}: no result was left: {done.stdout}{done.stderr}")
    status = json.loads(t.node.read(RESULT))
    t.check(status["ExitCode"] == "240", f"{name}: the exit code is {status['ExitCode']}")
    t.check(says.lower() in status["Error"].lower(), f"{name}: the result does not say {says!r}: {status}")
    token = t.config()["bootstrapping_config"]["tls_bootstrapping_token"]
    t.check(token not in json.dumps(status) + done.stdout + done.stderr, f"{name}: the token is in the result")
    return done
