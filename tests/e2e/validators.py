"""The conditions that every provisioned and Ready node must meet, in all cases.

A validator yields a line for each problem; all of them run, and all problems are reported together.
"""

import json
import os
import re
import stat
import urllib.parse

import delivered

AZURE = "/opt/azure/containers"
EVENTS = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events"
KUBELET_DROPINS = "/etc/systemd/system/kubelet.service.d"
SERVING_LABEL = "kubernetes.azure.com/kubelet-serving-ca"
SERVING_TAG = "aks-disable-kubelet-serving-certificate-rotation"

# Files the built-in steps write on every node, and their modes.
FILES = {
    "/etc/containerd/config.toml": "0644", "/etc/containerd/kubenet_template.conf": "0644",
    "/etc/systemd/system/containerd.service.d/exec_start.conf": "0644",
    "/etc/default/kubelet": "0600", "/etc/default/kubeletconfig.json": "0600",
    "/etc/kubernetes/azure.json": "0600", "/etc/kubernetes/certs/ca.crt": "0600",
    "/etc/kubernetes/certs": "0755", "/etc/kubernetes/manifests": "0755",
    "/etc/modules-load.d/br_netfilter.conf": "0644", "/etc/modules-load.d/nf_conntrack.conf": "0644",
    "/etc/sysctl.d/99-force-bridge-forward.conf": "0644", "/etc/sysctl.d/999-sysctl-aks.conf": "0644",
    f"{KUBELET_DROPINS}/10-componentconfig.conf": "0600", f"{KUBELET_DROPINS}/10-ensure-imds-restriction.conf": "0600",
    f"{KUBELET_DROPINS}/10-containerd-base-flag.conf": "0644", f"{KUBELET_DROPINS}/10-watchdog.conf": "0644",
    f"{KUBELET_DROPINS}/20-native-prestart.conf": "0644",
    "/opt/bin/kubelet": "0755", "/opt/bin/kubectl": "0755",
    f"{AZURE}/aks-node-controller-config.json": "0600", f"{AZURE}/provision.complete": "0644",
    "/var/log/azure/aks/provision.json": "0644",
}
TOKEN_FILES = {
    f"{KUBELET_DROPINS}/10-tlsbootstrap.conf": "0600", f"{KUBELET_DROPINS}/10-credential-validation.conf": "0600",
    "/var/lib/kubelet/bootstrap-kubeconfig": "0600", "/var/lib/kubelet/kubeconfig": "0600",
}
SYSCTLS = {
    "net.ipv4.tcp_retries2": "8", "net.core.message_burst": "80", "net.core.message_cost": "40", "net.core.somaxconn": "16384",
    "net.ipv4.tcp_max_syn_backlog": "16384", "net.ipv4.neigh.default.gc_thresh1": "4096", "net.ipv4.neigh.default.gc_thresh2": "8192",
    "net.ipv4.neigh.default.gc_thresh3": "16384", "net.ipv4.ip_forward": "1",
}
BRIDGE_SYSCTLS = {"net.bridge.bridge-nf-call-iptables": "1"}
MODULES = ("overlay", "br_netfilter", "nf_conntrack")
# The allowed firewall rules: those of provisioning, and those that kubelet and the CNI plugins add.
WIRE_SERVER_RULES = [f"-A FORWARD -d 168.63.129.16/32 -p tcp -m tcp --dport {port} -j DROP" for port in (80, 32526)]
IMDS_RULE = re.compile(r"-A FORWARD ! -s (\S+)/32 -d 169\.254\.169\.254/32 -p tcp -m tcp --dport 80 -m comment --comment "
                       r'"AKS managed: added by AgentBaker ensureIMDSRestriction for IMDS restriction feature" -j DROP')
KNOWN_RULES = re.compile(r"-A (KUBE-|CNI-|(INPUT|OUTPUT|POSTROUTING|PREROUTING|FORWARD) .*-j (KUBE-|CNI-))|"
                         r'.*--comment "localdns: skip conntrack"')

_common, _native = [], []


def common(function):
    _common.append(function)
    return function


def native(function):
    """Holds only where the built-in steps did the work."""
    _native.append(function)
    return function


def problems(t, by_built_in_steps: bool, unless: list[str]) -> list[str]:
    found = []
    for validator in _common + (_native if by_built_in_steps else []):
        if validator.__name__ not in unless:
            found += [f"{validator.__name__}: {problem}" for problem in validator(t)]
    return found


def names() -> set[str]:
    return {v.__name__ for v in _common + _native}


@common
def result(t):
    done, file = f"{AZURE}/provision.complete", "/var/log/azure/aks/provision.json"
    if not t.node.exists(done) or not t.node.exists(file):
        yield "there is no result"
        return
    status = json.loads(t.node.read(file))
    if status["ExitCode"] != "0":
        yield f"the exit code is {status['ExitCode']}: {status.get('Error')}"
    if t.node.modified(done) < t.node.modified(file):
        yield "provision.complete is older than provision.json: who waits for the one might not find the other"


@common
def units(t):
    for unit in ("containerd.service", "kubelet.service"):
        if (state := t.node.unit_state(unit)) != "active":
            yield f"{unit} is {state}"
    failed = t.node.run(["systemctl", "list-units", "--failed", "--plain", "--no-legend"]).stdout.splitlines()
    # cloud-init removes a directory that is mounted in a container.
    excused = (r"run-cloud\x2dinit-tmp-", *t.case.expect.get("may_fail", []))
    yield from (f"failed: {line}" for line in failed if not line.startswith(excused))


@native
def enabled(t):
    for unit in ("containerd.service", "kubelet.service"):
        if (state := t.node.run(["systemctl", "is-enabled", unit], check=False).stdout.strip()) != "enabled":
            yield f"{unit} would not start at the next boot: it is {state}"


def kubelet_starts(t) -> int:
    command = ["journalctl", "--boot", "_PID=1", "UNIT=kubelet.service", "--no-pager", "--output=cat", "--grep=^Started "]
    return len(t.node.run(command, check=False).stdout.splitlines())


@native
def kubelet_stayed(t):
    """Neither systemd nor we had to start it again."""
    if (starts := kubelet_starts(t)) != 1:
        yield f"kubelet was started {starts} times"


@native
def files(t):
    wanted = FILES | (TOKEN_FILES if t.config()["bootstrapping_config"].get("tls_bootstrapping_token") else {})
    for path, mode in wanted.items():
        if t.case.boot == "command":  # it is what the node was given instead
            path = path.replace("aks-node-controller-config.json", "aks-node-controller-nbc-cmd.sh")
        file = t.node.target(path)
        if not file.exists():
            yield f"{path} does not exist"
        elif (actual := f"{stat.S_IMODE(file.stat().st_mode):04o}") != mode:
            yield f"{path} has mode {actual}, not {mode}"
    for left in t.node.path("/opt/bin").glob("kube*-*"):
        yield f"{left.name} was left in /opt/bin"


def secrets_of(config: dict) -> dict[str, bytes]:
    kubelet = config.get("kubelet_config", {})
    found = {"bootstrap token": config["bootstrapping_config"].get("tls_bootstrapping_token", ""),
             "client key": kubelet.get("kubelet_client_key", ""),
             "service principal secret": config["auth_config"].get("service_principal_secret", ""),
             "proxy's password": urllib.parse.urlsplit(config.get("http_proxy_config", {}).get("https_proxy", "")).password or ""}
    # A short one ("msi") is none.
    return {name: text.encode() for name, text in found.items() if len(text) >= 8}


@common
def secrets(t):
    found = t.node.search(secrets_of(t.config()))
    for where, what, mode in found.files:
        if mode & 0o077:
            yield f"{where} holds the {what} and has mode {stat.S_IMODE(mode):04o}"
        elif where.startswith("/var/log/"):
            yield f"{where}, a log, holds the {what}"
    yield from (f"everybody can read the {what} in the command line of {line}" for line, what in found.commands)


@common
def firewall(t):
    restricted = t.config().get("imds_restriction_config", {})
    seen, imds = [], []
    for table in ("filter", "mangle", "nat", "raw"):
        for line in t.node.run(["iptables-save", "-t", table]).stdout.splitlines():
            if line.startswith(":FORWARD DROP"):
                yield "FORWARD drops by default"
            if not line.startswith("-A "):
                continue
            seen.append(line)
            if found := IMDS_RULE.fullmatch(line):
                imds.append((table, found[1]))
            elif line not in WIRE_SERVER_RULES and not KNOWN_RULES.match(line):
                yield f"a rule of unknown origin in {table}: {line}"
    yield from (f"missing: {rule}" for rule in WIRE_SERVER_RULES if rule not in seen)
    yield from (f"twice: {rule}" for rule in WIRE_SERVER_RULES if seen.count(rule) > 1)
    table = "mangle" if restricted.get("insert_imds_restriction_rule_to_mangle_table") else "filter"
    wanted = [(table, t.node.address)] if restricted.get("enable_imds_restriction") else []
    if imds != wanted:
        yield f"rules about the metadata service: {imds}, wanted {wanted}"


def rotation(t) -> bool:
    """Whether the cluster is to issue the serving certificate of this node."""
    kubelet = t.config()["kubelet_config"]
    asked = kubelet.get("kubelet_config_file_config", {}).get("server_tls_bootstrap") or \
        kubelet["kubelet_flags"].get("--rotate-server-certificates") == "true"
    return bool(asked) and t.node.azure.tags.get(SERVING_TAG) != "true"


@common
def labels(t):
    node = t.cp.api.request("GET", f"/api/v1/nodes/{t.node.name}")
    wanted = dict(t.config()["kubelet_config"]["kubelet_node_labels"])
    if rotation(t):
        wanted[SERVING_LABEL] = "cluster"
    elif wanted.pop(SERVING_LABEL, None) and SERVING_LABEL in node["metadata"]["labels"]:
        yield f"it has the label {SERVING_LABEL}, but makes its own certificate"
    for key, value in wanted.items():
        if (actual := node["metadata"]["labels"].get(key)) != value:
            yield f"label {key} is {actual}, not {value}"
    asked = t.config()["kubelet_config"]["kubelet_flags"].get("--register-with-taints", "")
    taints = {f"{x['key']}={x.get('value', '')}:{x['effect']}" for x in node["spec"].get("taints", [])}
    yield from (f"taint {taint} is not there" for taint in filter(None, asked.split(",")) if taint not in taints)
    addresses = [a["address"] for a in node["status"]["addresses"] if a["type"] == "InternalIP"]
    if addresses != [t.node.address]:
        yield f"its addresses are {addresses}, not {t.node.address}"


@common
def kubelet_flags(t):
    pid = t.node.run(["systemctl", "show", "--property=MainPID", "--value", "kubelet.service"]).stdout.strip()
    given = t.node.run(["cat", f"/proc/{pid}/cmdline"]).stdout.split("\0")
    for name, value in t.config()["kubelet_config"]["kubelet_flags"].items():
        if f"{name}={value}" not in given and name not in ("--tls-cert-file", "--tls-private-key-file", "--rotate-server-certificates"):
            yield f"kubelet was not given {name}={value}: {given}"
    if any(word.startswith("--dynamic-config-dir") for word in given):
        yield "kubelet was given --dynamic-config-dir"
    if "--config" in given and given[given.index("--config") + 1] != "/etc/default/kubeletconfig.json":
        yield f"kubelet was given another config file: {given}"


@common
def certificates(t):
    config = json.loads(t.node.read("/etc/default/kubeletconfig.json"))
    if not config.get("rotateCertificates"):
        yield "kubelet does not rotate its client certificate"
    if t.config()["bootstrapping_config"].get("tls_bootstrapping_token"):
        for path in ("/var/lib/kubelet/kubeconfig", "/var/lib/kubelet/pki/kubelet-client-current.pem"):
            if not t.node.exists(path):
                yield f"{path} does not exist"
    if rotation(t):
        if "tlsCertFile" in config or "tlsPrivateKeyFile" in config:
            yield "kubelet is pointed at a serving certificate of its own although the cluster issues one"
    else:
        for path in ("/etc/kubernetes/certs/kubeletserver.crt", "/etc/kubernetes/certs/kubeletserver.key"):
            if not t.node.exists(path):
                yield f"{path} does not exist"
        if config.get("serverTLSBootstrap"):
            yield "kubelet asks the cluster for a serving certificate although it has its own"


@common
def credential_check(t):
    if not t.config()["bootstrapping_config"].get("tls_bootstrapping_token"):
        return
    journal = t.node.run(["journalctl", "--unit=kubelet.service", "--no-pager", "--output=cat"]).stdout
    good = ("kubelet bootstrap token credential is valid", "client credential already exists within kubeconfig")
    if not any(text in journal for text in good) or "unable to validate bootstrap credentials" in journal:
        yield "kubelet's journal does not say that the bootstrap token is valid"


@native
def sysctls(t):
    # A container has only those of them that belong to a network.
    wanted = SYSCTLS | (BRIDGE_SYSCTLS if t.node.own_kernel else {})
    there = dict(line.split(" = ") for line in t.node.run(["sysctl", "--ignore", *wanted], check=False).stdout.splitlines())
    for key, value in wanted.items():
        if (actual := there.get(key)) != value and (actual or t.node.own_kernel):
            yield f"{key} is {actual}, not {value}"


@native
def modules(t):
    """In a kernel that started without any. A container has this machine's."""
    if t.node.own_kernel:
        loaded = {line.split()[0] for line in t.node.read("/proc/modules").splitlines()}
        yield from (f"the module {name} is not loaded" for name in MODULES if name not in loaded)


@native
def logs(t):
    there = set(os.listdir(t.node.path("/var/log/azure/aks")))
    wanted = {"cluster-provision.log", "cluster-provision-cse-output.log", "cloud-init-files.paved", "vhd-install.complete", "provision.json"}
    yield from (f"/var/log/azure/aks has no {name}" for name in sorted(wanted - there))
    # If the guest agent runs, it removes the events after sending them.
    told = delivered.events(t) if t.case.has_agent else []
    for event in sorted(t.node.path(EVENTS).glob("*.json")):
        text = event.read_text()
        try:
            told.append(json.loads(text))
        except ValueError:
            # Events are not synced. A power cut may leave empty ones, which the guest agent throws away.
            if text or not t.node.lost_power:
                yield f"guest agent event {event.name} is not JSON: {text[:100]!r}"
    tasks = {e["TaskName"] for e in told}
    # The platform's pipeline cuts longer ones.
    yield from (f"guest agent event {e['TaskName']} has {len(e['Message'])} characters" for e in told if len(e["Message"].encode()) > 3072)
    yield from (f"no guest agent event {task}" for task in ("AKS.CSE.ensureContainerd", "AKS.CSE.ensureKubelet", "AKS.CSE.cse_start") if task not in tasks)


@common
def wire_server(t):
    done = t.node.run(["curl", "-s", "-m", "15", "http://168.63.129.16:32526/vmSettings"], check=False)
    if done.returncode != 0:
        yield "the node itself does not reach the wire server"
