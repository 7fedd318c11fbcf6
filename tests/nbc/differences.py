"""The allowed differences between an environment or a file that was made from a command and one that was made from its config,
which have the same meaning. docs/compatibility.md ("Commands") lists them for people; nothing else may differ."""
import base64
import json
import tomllib

# Not in the environment of a config, or about the VM's size, which a command does not have.
ONLY_IN_COMMANDS = {"HYPERKUBE_URL", "BLOCK_OUTBOUND_NETWORK", "MCR_REPOSITORY_BASE", "KUBELET_IMAGE", "REPO_DEPOT_ENDPOINT"}
RETIRED = {"NVIDIA_MANAGEMENT_MODE", "SECURE_TLS_BOOTSTRAPPING_DEADLINE", "TELEPORTD_PLUGIN_DOWNLOAD_URL",
           "TELEPORT_ENABLED", "CONTAINER_RUNTIME", "NEEDS_CONTAINERD", "NEEDS_DOCKER_LOGIN",
           "CUSTOM_SECURE_TLS_BOOTSTRAP_AAD_SERVER_APP_ID", "CUSTOM_SECURE_TLS_BOOTSTRAP_CLIENT_URL"}
OF_VM_SIZE = {"GPU_DRIVER_TYPE", "GPU_DRIVER_VERSION", "GPU_IMAGE_SHA", "GPU_NEEDS_FABRIC_MANAGER", "SGX_NODE"}
WITHOUT_EFFECT = {"CLI_TOOL", "SKIP_WAAGENT_HOLD", "NETWORK_MODE", "MOBY_VERSION"}
CLOUDS_OF_COMMANDS = {"AzureBleuCloud", "AzureGermanyCloud", "AzureSingaporeCloud"}
# Words for which a config has no value.
LOST_WORDS = {"NETWORK_PLUGIN", "NETWORK_POLICY"}


def json_file(text):
    """kubelet's file: lists with one empty item are not lists, and times have the names of the contract."""
    file = json.loads(text) if text else {}

    def plain(value):
        if isinstance(value, dict):
            kept = {key.replace("TTL", "Ttl"): plain(inner) for key, inner in value.items()}
            return {key: inner for key, inner in kept.items() if inner not in ([""], {}, False, None)}
        return value
    return plain(file)


def sysctl_lines(text):
    lines = {}
    for line in text.splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            lines[key.strip()] = value.strip()
    lines.pop("net.ipv4.tcp_tw_reuse", None)  # always 1 in a command
    lines.pop("net.ipv4.ip_local_reserved_ports", None)  # starts at another port
    return lines


def corefile_blocks(text):
    """Server blocks without comments and white space. A name that only ends like cluster.local belongs to the cluster in the sent
    file, but not in the file that the built-in steps render."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    zone, kept = "", []
    for line in lines:
        zone = line.split(":53")[0] if line.endswith(":53 {") else zone
        like_cluster = zone.endswith("cluster.local") and zone != "cluster.local" and not zone.endswith(".cluster.local")
        kept.append("forward" if like_cluster and line.startswith("forward ") else line)
    return kept


def azure_json(text):
    """0 rules also means unset, which is 148."""
    file = json.loads(text)
    file["maximumLoadBalancerRuleCount"] = file["maximumLoadBalancerRuleCount"] or 148
    return file


def dns_environment(text):
    """The environment of the local DNS cache: Corefiles in base64."""
    lines = dict(line.split("=", 1) for line in text.splitlines())
    return {name: corefile_blocks(decoded(value)) if "COREFILE" in name else value for name, value in lines.items()}


def decoded(text):
    return base64.b64decode(text).decode()


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def same_variable(name, sent, computed):
    """Whether the environment of the command's config matches the command."""
    if sent == computed or name in ONLY_IN_COMMANDS | RETIRED | OF_VM_SIZE | WITHOUT_EFFECT:
        return True
    if sent in ("", "<nil>"):  # the config's default
        return True
    if is_number(sent) and is_number(computed):
        return float(sent) == float(computed) or (name == "MAXIMUM_LOADBALANCER_RULE_COUNT" and sent == "0")
    if name in LOST_WORDS or name == "LOAD_BALANCER_SKU":
        return computed in ("", sent.lower())
    if name in ("PROXY_VARS",):
        return sent.replace('"', "") == computed.replace('"', "")
    if name in ("KUBELET_FLAGS", "KUBELET_NODE_LABELS"):
        items = lambda text: sorted(text.replace(" --", ",--").strip().split(","))
        drop = {"--streaming-connection-idle-timeout"}
        return [i for i in items(sent) if i.split("=")[0] not in drop] == [
            i for i in items(computed) if i.split("=")[0] not in drop]
    if name == "KUBELET_CONFIG_FILE_CONTENT":
        return json_file(decoded(sent)) == json_file(decoded(computed))
    if name == "SYSCTL_CONTENT":
        return sysctl_lines(decoded(sent)) == sysctl_lines(decoded(computed))
    if name == "KUBENET_TEMPLATE":
        return "".join(decoded(sent).split()) == "".join(decoded(computed).split())
    if name.startswith("LOCALDNS_") and "COREFILE" in name:
        return corefile_blocks(decoded(sent)) == corefile_blocks(decoded(computed))
    if name.startswith("CONTAINERD_CONFIG_"):
        return same_containerd(decoded(sent), decoded(computed))
    if name in ("TARGET_CLOUD", "TARGET_ENVIRONMENT"):
        return sent in CLOUDS_OF_COMMANDS
    if name == "ARM_RESOURCE_ENDPOINT":  # in an environment object in base64, which the rule for configs does not read
        return computed == ""
    if name == "CONTAINERD_ULIMITS":
        return sorted(sent.split()) == sorted(computed.split())
    return False


def same_containerd(sent, computed):
    """Kata and an outdated snapshotter come from the sender; the layout may or may not be that of the image's containerd."""
    try:
        left, right = tomllib.loads(sent), tomllib.loads(computed)
    except tomllib.TOMLDecodeError:
        return True  # [proxy_plugins] twice: used as sent
    def generation(file):
        return 1 if "io.containerd.grpc.v1.cri" in file.get("plugins", {}) else 2
    kata = "kata" in sent or "teleportd" in sent
    return left == right or generation(left) != generation(right) or kata
