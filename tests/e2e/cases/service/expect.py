"""The service in its intended place. Node 1 is provisioned like the golden case, and runs the service's pods; the other tests use them."""

import base64
import contextlib
import json
import subprocess

import case
import images
import k8s
import package
import validators
from balancer import Balancer
from controlplane import ADDRESS
from deployed import CLIENT, NAMESPACE, READER, RELEASE, Deployed, Load
from deployed import NAME as SERVICE_NAME
from node import Node
from resolving import EXAMPLES
from results import Witness, check_failure, check_success, claim, events_of, failing_config, result_of_claim

RENDER = "/v1/render/custom-data?os=ubuntu2404"
WAIT = 5  # seconds until a client repeats a failed request: docs/service-on-kubernetes.md


def drive(t):
    t.boot()
    t.wait_ready()
    service = Deployed(t)
    try:
        service.install()
        check_pods(t, service)
        check_callers(t, service)
        install_karpenter(t)
        with failing_node(t, service) as failing:
            check_rendered_node(t, service)
            check_karpenter_node(t, service)
            check_reporters(t, service)
            check_failure(t, *failing)
        check_update(t, service)
        check_killed_pod(t, service)
    finally:
        service.remove()


def check_pods(t, service):
    """The properties of the chart's pods, as the runtime sees them."""
    for name in service.pods():
        pid = process_of(t, service, name)
        status = t.node.read(f"/proc/{pid}/status")
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        t.check(fields["Uid"].split()[0] == "65532", f"the service runs as {fields['Uid']}")
        t.check(int(fields["CapEff"], 16) == int(fields["CapBnd"], 16) == 0, f"the service has capabilities: {fields['CapEff']}, {fields['CapBnd']}")
        t.check((fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2"), f"NoNewPrivs {fields['NoNewPrivs']}, Seccomp {fields['Seccomp']}")
        mounts = [line.split() for line in t.node.read(f"/proc/{pid}/mounts").splitlines()]
        t.check("ro" in next(m[3] for m in mounts if m[1] == "/").split(","), "the root of the service is writable")
        key = t.node.run(["stat", "--dereference", "--format=%a %u %g", f"/proc/{pid}/root/etc/sunup/tls/tls.key"]).stdout.strip()
        t.check(key == "440 0 65532", f"the key has mode, user and group {key}")


def process_of(t, service, pod: str) -> int:
    """The PID of the pod's program on node 1."""
    found = t.cp.api.request("GET", f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}")["status"]["containerStatuses"][0]["containerID"]
    tasks = t.node.run(["ctr", "--namespace", "k8s.io", "tasks", "list"]).stdout
    return next(int(line.split()[1]) for line in tasks.splitlines() if line.startswith(found.removeprefix("containerd://")))


def check_callers(t, service):
    config = t.config_text()
    for path in ("/healthz", "/readyz"):
        t.check(service.ask("GET", path)[0] == 200, f"{path}: {service.ask('GET', path)}")
    status, text = service.ask("GET", "/metrics", token=service.token(READER))
    t.check(status == 200 and "\nsunup_" in text, f"/metrics: {status}: {text[:500]}")
    for token, status, who in (("", 401, "without a token"), ("made-up", 401, "with a token that the cluster does not know"),
                               (service.token("stranger"), 403, "with the token of somebody who may not"),
                               (service.token(READER), 403, "with the token of somebody who may only read the metrics")):
        got = service.ask("POST", RENDER, config, token)
        t.check(got[0] == status, f"{who} the answer is {got}")
    status, text = service.ask("POST", RENDER, config, service.token())
    t.check(status == 200, f"the answer to {CLIENT} is {status}: {text}")
    file = t.node.dir / "same.json"
    file.write_text(config)
    results = ["--results-url", service.values["results"]["url"], "--results-ca", service.dir / "service-ca.crt"]
    own = subprocess.run([t.binaries / "sunup", "render", "custom-data", "--config", file, "--os", "ubuntu2404", *results], check=True, capture_output=True, text=True).stdout
    t.check(json.loads(text)["customData"] == own.strip(), "the service and the command line make different custom data")


def check_rendered_node(t, service):
    """Custom data for a config, from a client with a token, boots a node."""
    with other_node(t, "2") as other:
        claim(t, other.node.name)
        status, text = service.ask("POST", RENDER, other.config_text(), service.token())
        t.check(status == 200, f"custom data for node 2: {status}: {text}")
        boot_with(t, other, base64.b64decode(json.loads(text)["customData"]))
        t.times["node 2 ready in"] = other.times["ready"]
        check_success(t, other)


def check_karpenter_node(t, service):
    """The response to Karpenter's own client, with the token that it inserts, boots a node."""
    service.apply(karpenter={"enabled": True, "settings": karpenter_settings(t)})
    door = Balancer(t.cp, NAMESPACE, f"{RELEASE}-karpenter", ADDRESS, 8081)
    door.wait_ready(2, t.case.timeout)
    settings = karpenter_settings(t)
    with other_node(t, "3") as other:
        claim(t, other.node.name)
        argv = [k8s.extra("karpenter-client"), f"--server={ADDRESS}:8081", f"--subscription={settings['subscription-id']}", "--resource-group=demo-rg",
                f"--cluster={settings['cluster-name']}", f"--subnet={settings['vnet-subnet-id']}", f"--version={t.row.version}", f"--token={t.cp.token}"]
        done = subprocess.run([str(w) for w in t.cp.ns.command(argv)], capture_output=True, text=True, timeout=t.case.timeout)
        t.check(done.returncode == 0, f"Karpenter's client ended with {done.returncode}: {done.stderr}")
        boot_with(t, other, base64.b64decode(json.loads(done.stdout)["customData"]))
        labels = t.cp.api.request("GET", f"/api/v1/nodes/{other.node.name}")["metadata"]["labels"]
        t.check(labels.get("karpenter.sh/nodepool") == "default", f"the labels of Karpenter's node: {labels}")
        t.times["Karpenter's node ready in"] = other.times["ready"]
        check_success(t, other)
    door.stop()


def karpenter_settings(t) -> dict[str, str]:
    """The example's, for this cluster."""
    lines = (EXAMPLES / "settings.yaml").read_text().splitlines()
    settings = dict(line.split(": ", 1) for line in lines if ": " in line and not line.startswith(("#", "kubelet-bootstrap-token")))
    return settings | {"cluster-endpoint": f"https://{t.api_server}:443", "ca-bundle": t.cp.ca_base64()}


@contextlib.contextmanager
def other_node(t, number: str):
    name = f"{t.node.name}-{number}"
    node = Node(name, [images.kubernetes_layer(t.row), images.ensure(t.row)], t.cp, t.node.dir.parent / name)
    node.names[SERVICE_NAME] = ADDRESS
    try:
        yield case.Trial(t.case, t.row, node, t.cp, t.binaries)
    finally:
        node.remove()
        t.cp.kubectl("delete", "node", name, "--ignore-not-found", "--wait=false", check=False)


def start_with(t, other, custom_data: bytes):
    package.install(other.node, t.binaries)
    other.node.seed("")
    other.node.write("/var/lib/cloud/seed/nocloud/user-data", custom_data, 0o600)
    other.boot()


def boot_with(t, other, custom_data: bytes):
    start_with(t, other, custom_data)
    other.wait_ready()
    code, output = other.provision_wait()
    t.check(code == 0, f"{other.node.name}: provision-wait ended with {code}: {output[-1500:]}")
    if wrong := list(validators.secrets(other)):
        raise case.Failure("\n".join(wrong))


@contextlib.contextmanager
def failing_node(t, service):
    """A node with custom data of the service, whose API server has a name without an address. It needs a while until it has failed."""
    with other_node(t, "4") as other:
        claim(t, other.node.name)
        status, text = service.ask("POST", RENDER, json.dumps(failing_config(other)), service.token())
        t.check(status == 200, f"custom data for node 4: {status}: {text}")
        witness = Witness(t, other.node.name)
        start_with(t, other, base64.b64decode(json.loads(text)["customData"]))
        yield other, witness


def check_reporters(t, service):
    """Only a node reports a result, and the same report again changes nothing."""
    claim(t, "default-x7k2p")
    path = "/v1/nodes/aks-default-x7k2p/result"
    report = json.dumps({"node": "aks-default-x7k2p", "exitCode": 52, "step": "apiserver.lookup", "cause": "nowhere.example: no such name"})
    for token, status, who in (("", 401, "nobody"), (service.token(), 403, "a client")):
        got = service.ask("POST", path, report, token)
        t.check(got[0] == status, f"a result from {who} is answered with {got}")
    for attempt in "first", "second":
        got = service.ask("POST", path, report, t.cp.token)
        t.check(got[0] == 202, f"the {attempt} result from the node is answered with {got}\n{service.describe()}")
    result = result_of_claim(t, "default-x7k2p")
    t.check((result.get("exitCode"), result.get("step")) == (52, "apiserver.lookup"), f"the annotation of the NodeClaim is {result}")
    events = events_of(t, "default-x7k2p")
    t.check(len(events) == 1, f"the Events about the NodeClaim: {events}")


def install_karpenter(t):
    definitions = subprocess.run([k8s.extra("karpenter-crds")], check=True, capture_output=True, text=True).stdout
    done = subprocess.run([*t.cp.kubectl_command(), "apply", "--server-side", "-f", "-"], input=definitions, capture_output=True, text=True)
    t.check(done.returncode == 0, f"Karpenter's definitions are refused: {done.stderr}")
    t.cp.kubectl("wait", "--for=condition=Established", "crd/nodeclaims.karpenter.sh", f"--timeout={t.case.timeout:.0f}s")


def check_update(t, service):
    """A rolling update replaces every pod; no connection is refused, and no request is lost of a client that repeats it once, at once."""
    before, refused = service.pods(), len(service.balancer.refused)
    with Load(service, RENDER, t.config_text()) as load:
        load.wait_for(20)
        service.apply(podAnnotations={"version": "2"})
        load.wait_for(20)
        after = service.pods()
    t.check(len(after) == 2 and not before.keys() & after.keys(), f"the pods before and after: {before}, {after}")
    t.check(not load.lost, f"of {load.sent} requests {len(load.lost)} were lost during an update: {load.lost[:5]}")
    t.check(len(service.balancer.refused) == refused, f"{len(service.balancer.refused) - refused} connections were refused during an update")
    t.times["requests during the update"], t.times["of them sent twice"] = load.sent, load.again


def check_killed_pod(t, service):
    """Of a pod that is killed, no request is lost of a client that repeats it once, after the seconds that the docs say."""
    victim = next(iter(service.pods()))
    pid = process_of(t, service, victim)
    refused = len(service.balancer.refused)
    with Load(service, RENDER, t.config_text(), wait=WAIT) as load:
        load.wait_for(20)
        t.node.run(["kill", "-KILL", str(pid)])
        # Until it serves again.
        t.cp.kubectl("--namespace", NAMESPACE, "wait", "pod", victim, "--for=jsonpath={.status.containerStatuses[0].restartCount}=1", f"--timeout={t.case.timeout:.0f}s")
        t.cp.kubectl("--namespace", NAMESPACE, "wait", "pod", victim, "--for=condition=Ready", f"--timeout={t.case.timeout:.0f}s")
        service.balancer.wait_ready(2, t.case.timeout)
        load.wait_for(20)
    t.check(not load.lost, f"of {load.sent} requests {len(load.lost)} were lost when a pod was killed: {load.lost[:5]}")
    times = service.balancer.refused[refused:]
    t.times["requests around the kill"], t.times["of them refused"] = load.sent, len(times)
    t.times["connections refused for"] = times[-1] - times[0] if times else 0
