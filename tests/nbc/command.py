#!/usr/bin/env python3
"""Writes the bootstrap command (--nbc-cmd) that a control plane sends for a node config.

usage: command.py SUNUP CONFIG [CONTAINERD_VERSION] > command.sh

The values are those of the scripts' environment (`sunup render env`), changed where a command is known to differ
(docs/compatibility.md, "Commands"), and put into the text without any escaping, as the sender does it: a value with a
blank or a quote in it can give a command that no shell reads as it was meant.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile

# In the order of a command. "=NAME": the value is not quoted. Two names occur twice, as in a command.
NAMES = """
=ADMINUSER =MOBY_VERSION =TENANT_ID =KUBERNETES_VERSION =HYPERKUBE_URL =KUBE_BINARY_URL =CUSTOM_KUBE_BINARY_URL
PRIVATE_KUBE_BINARY_URL =KUBEPROXY_URL =APISERVER_PUBLIC_KEY =SUBSCRIPTION_ID =RESOURCE_GROUP =LOCATION =VM_TYPE =SUBNET
=NETWORK_SECURITY_GROUP =VIRTUAL_NETWORK =VIRTUAL_NETWORK_RESOURCE_GROUP =ROUTE_TABLE =PRIMARY_AVAILABILITY_SET
=PRIMARY_SCALE_SET =SERVICE_PRINCIPAL_CLIENT_ID =NETWORK_PLUGIN =NETWORK_POLICY =VNET_CNI_PLUGINS_URL
=CLOUDPROVIDER_BACKOFF =CLOUDPROVIDER_BACKOFF_MODE =CLOUDPROVIDER_BACKOFF_RETRIES =CLOUDPROVIDER_BACKOFF_EXPONENT
=CLOUDPROVIDER_BACKOFF_DURATION =CLOUDPROVIDER_BACKOFF_JITTER =CLOUDPROVIDER_RATELIMIT =CLOUDPROVIDER_RATELIMIT_QPS
=CLOUDPROVIDER_RATELIMIT_QPS_WRITE =CLOUDPROVIDER_RATELIMIT_BUCKET =CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE
=LOAD_BALANCER_DISABLE_OUTBOUND_SNAT =USE_MANAGED_IDENTITY_EXTENSION =USE_INSTANCE_METADATA =LOAD_BALANCER_SKU
=EXCLUDE_MASTER_FROM_STANDARD_LB =MAXIMUM_LOADBALANCER_RULE_COUNT =CLI_TOOL =CONTAINERD_DOWNLOAD_URL_BASE =NETWORK_MODE
=KUBE_BINARY_URL =USER_ASSIGNED_IDENTITY_ID =SERVICE_ACCOUNT_IMAGE_PULL_ENABLED
=SERVICE_ACCOUNT_IMAGE_PULL_DEFAULT_CLIENT_ID =SERVICE_ACCOUNT_IMAGE_PULL_DEFAULT_TENANT_ID
=IDENTITY_BINDINGS_LOCAL_AUTHORITY_SNI =API_SERVER_NAME =IS_VHD =GPU_NODE =SGX_NODE =MIG_NODE
=CONFIG_GPU_DRIVER_IF_NEEDED =ENABLE_GPU_DEVICE_PLUGIN_IF_NEEDED MANAGED_GPU_EXPERIENCE_AFEC_ENABLED ENABLE_MANAGED_GPU
ENABLE_MANAGED_GPU_DRA NVIDIA_MIG_STRATEGY NVIDIA_MIG_PROFILE_LAYOUT =CREDENTIAL_PROVIDER_DOWNLOAD_URL
=CONTAINERD_VERSION =CONTAINERD_PACKAGE_URL =RUNC_VERSION =RUNC_PACKAGE_URL ENABLE_HOSTS_CONFIG_AGENT DISABLE_SSH
DISABLE_PUBKEY_AUTH SHOULD_CONFIGURE_HTTP_PROXY SHOULD_CONFIGURE_HTTP_PROXY_CA HTTP_PROXY_TRUSTED_CA
SHOULD_CONFIGURE_CUSTOM_CA_TRUST CUSTOM_CA_TRUST_COUNT CUSTOM_CA_CERT_* GPU_NEEDS_FABRIC_MANAGER IPV6_DUAL_STACK_ENABLED
OUTBOUND_COMMAND BLOCK_OUTBOUND_NETWORK ENABLE_UNATTENDED_UPGRADES ENSURE_NO_DUPE_PROMISCUOUS_BRIDGE
SHOULD_CONFIG_SWAP_FILE SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE SHOULD_CONFIG_CONTAINERD_ULIMITS CONTAINERD_ULIMITS
TARGET_CLOUD TARGET_ENVIRONMENT ARM_RESOURCE_ENDPOINT CUSTOM_ENV_JSON IS_CUSTOM_CLOUD
AKS_CUSTOM_CLOUD_CONTAINER_REGISTRY_DNS_SUFFIX CSE_HELPERS_FILEPATH CSE_DISTRO_HELPERS_FILEPATH CSE_INSTALL_FILEPATH
CSE_DISTRO_INSTALL_FILEPATH CSE_CONFIG_FILEPATH AZURE_PRIVATE_REGISTRY_SERVER HAS_CUSTOM_SEARCH_DOMAIN
CUSTOM_SEARCH_DOMAIN_FILEPATH HTTP_PROXY_URLS HTTPS_PROXY_URLS NO_PROXY_URLS PROXY_VARS ENABLE_SECURE_TLS_BOOTSTRAPPING
SECURE_TLS_BOOTSTRAPPING_AAD_RESOURCE SECURE_TLS_BOOTSTRAPPING_USER_ASSIGNED_IDENTITY_ID
SECURE_TLS_BOOTSTRAPPING_VALIDATE_KUBECONFIG_TIMEOUT SECURE_TLS_BOOTSTRAPPING_GET_ACCESS_TOKEN_TIMEOUT
SECURE_TLS_BOOTSTRAPPING_GET_INSTANCE_DATA_TIMEOUT SECURE_TLS_BOOTSTRAPPING_GET_NONCE_TIMEOUT
SECURE_TLS_BOOTSTRAPPING_GET_ATTESTED_DATA_TIMEOUT SECURE_TLS_BOOTSTRAPPING_GET_CREDENTIAL_TIMEOUT
CUSTOM_SECURE_TLS_BOOTSTRAPPING_CLIENT_DOWNLOAD_URL ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION DHCPV6_SERVICE_FILEPATH
DHCPV6_CONFIG_FILEPATH THP_ENABLED THP_DEFRAG SERVICE_PRINCIPAL_FILE_CONTENT KUBELET_CLIENT_CONTENT
KUBELET_CLIENT_CERT_CONTENT KUBELET_CONFIG_FILE_ENABLED KUBELET_CONFIG_FILE_CONTENT SWAP_FILE_SIZE_MB GPU_DRIVER_VERSION
GPU_DRIVER_TYPE GPU_IMAGE_SHA GPU_INSTANCE_PROFILE CUSTOM_SEARCH_DOMAIN_NAME CUSTOM_SEARCH_REALM_USER
CUSTOM_SEARCH_REALM_PASSWORD MESSAGE_OF_THE_DAY HAS_KUBELET_DISK_TYPE NEEDS_CGROUPV2 TLS_BOOTSTRAP_TOKEN KUBELET_FLAGS
NETWORK_POLICY KUBELET_NODE_LABELS AZURE_ENVIRONMENT_FILEPATH KUBE_CA_CRT KUBENET_TEMPLATE CONTAINERD_CONFIG_CONTENT
CONTAINERD_CONFIG_NO_GPU_CONTENT IS_KATA ARTIFACT_STREAMING_ENABLED SYSCTL_CONTENT PRIVATE_EGRESS_PROXY_ADDRESS
BOOTSTRAP_PROFILE_CONTAINER_REGISTRY_SERVER MCR_REPOSITORY_BASE NETWORK_ISOLATED_CLUSTER_TEST_MODE
ENABLE_IMDS_RESTRICTION INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE SHOULD_ENABLE_LOCALDNS SHOULD_ENABLE_HOSTS_PLUGIN
LOCALDNS_CPU_LIMIT LOCALDNS_MEMORY_LIMIT LOCALDNS_GENERATED_COREFILE LOCALDNS_COREFILE_BASE LOCALDNS_COREFILE_WITH_HOSTS
LOCALDNS_CRITICAL_FQDNS LOCALDNS_HOSTS_PLUGIN_REFRESH_INTERVAL_IN_SECONDS PRE_PROVISION_ONLY CSE_TIMEOUT
SKIP_WAAGENT_HOLD STANDARD_SECONDARY_NIC_COUNT
""".split()

START = ('PROVISION_OUTPUT="/var/log/azure/cluster-provision-cse-output.log"; '
         'echo $(date),$(hostname) > ${PROVISION_OUTPUT}; ')
HOOK = ('INIT_AKS_CLOUD_FILEPATH="/opt/azure/containers/init-aks-cloud.sh"; if [ -f "${INIT_AKS_CLOUD_FILEPATH}" ]; then '
        ' \tREPO_DEPOT_ENDPOINT="%s" LOCATION=%s "${INIT_AKS_CLOUD_FILEPATH}" >> /var/log/azure/cluster-provision.log 2>&1; '
        'fi;  ')
END = '/usr/bin/nohup /bin/bash -c "/bin/bash /opt/azure/containers/provision_start.sh" '


def decoded(text):
    return base64.b64decode(text).decode()


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def kubelet_file(text):
    """Go prints a list that was split from an empty text with one empty item, and the names of two times in kubelet's
    spelling."""
    if not text:
        return text
    file = json.loads(decoded(text))
    for name in ("clusterDNS", "tlsCipherSuites", "enforceNodeAllocatable"):
        file.setdefault(name, [""])
    file.setdefault("authentication", {})
    file.setdefault("authorization", {})
    for part, name in (("authentication", "cacheTtl"), ("authorization", "cacheAuthorizedTtl"),
                       ("authorization", "cacheUnauthorizedTtl")):
        webhook = file[part].get("webhook", {})
        if name in webhook:
            webhook[name[:-2] + "TL"] = webhook.pop(name)
    return encoded(json.dumps(file, indent=4))


def sysctl(text):
    """In another order, with comments; one setting is always 1."""
    lines = decoded(text).splitlines()
    lines = ["net.ipv4.tcp_tw_reuse=1" if line.startswith("net.ipv4.tcp_tw_reuse=") else line for line in lines]
    return encoded("# kernel settings\n" + "\n".join(reversed(lines)) + "\n\n")


def labels(text):
    items = text.split(",") if text else []
    first = [item for item in items if item.split("=")[0] in ("agentpool", "kubernetes.azure.com/agentpool")]
    return ",".join(first + [item for item in items if item not in first])


def base64_json(text):
    """The field contains JSON or base64 of it; a command always has the latter."""
    try:
        json.loads(text)
    except ValueError:
        return text
    return encoded(text)


def variables(env, config):
    """The variables of the command, from the environment of the config."""
    def member(value, name):
        camel = name.split("_")[0] + "".join(word.capitalize() for word in name.split("_")[1:])
        return (value or {}).get(name, (value or {}).get(camel))
    rules = member(member(member(config, "cluster_config"), "load_balancer_config"), "max_load_balancer_rule_count")
    out = dict(env, HYPERKUBE_URL="", BLOCK_OUTBOUND_NETWORK="false", MCR_REPOSITORY_BASE="mcr.microsoft.com")
    out["KUBELET_CONFIG_FILE_CONTENT"] = kubelet_file(env["KUBELET_CONFIG_FILE_CONTENT"])
    out["SYSCTL_CONTENT"] = sysctl(env["SYSCTL_CONTENT"])
    out["KUBELET_NODE_LABELS"] = labels(env["KUBELET_NODE_LABELS"])
    out["KUBENET_TEMPLATE"] = encoded("\n" + decoded(env["KUBENET_TEMPLATE"]).replace("  ", "    "))
    out["CUSTOM_ENV_JSON"] = base64_json(env["CUSTOM_ENV_JSON"])
    if rules is None:
        out["MAXIMUM_LOADBALANCER_RULE_COUNT"] = "0"
    if env["HAS_CUSTOM_SEARCH_DOMAIN"] != "true":
        for name in ("CUSTOM_SEARCH_DOMAIN_NAME", "CUSTOM_SEARCH_REALM_USER", "CUSTOM_SEARCH_REALM_PASSWORD"):
            out[name] = ""
    if env["IS_CUSTOM_CLOUD"] != "true":
        out["AKS_CUSTOM_CLOUD_CONTAINER_REGISTRY_DNS_SUFFIX"] = ""
    return out


def write(env, config):
    values = variables(env, config)
    words = []
    for name in NAMES:
        if name == "CUSTOM_CA_CERT_*":
            words += [f'{key}="{values[key]}"' for key in (f"CUSTOM_CA_CERT_{i}" for i in range(len(values))) if key in values]
        elif name.startswith("="):
            words.append(f"{name[1:]}={values[name[1:]]}")
        else:
            words.append(f'{name}="{values[name]}"')
    text = START + HOOK % (values["REPO_DEPOT_ENDPOINT"], values["LOCATION"]) + " ".join(words) + " " + END
    return text.replace("\n", " ")


def environment(sunup, config_file, containerd=""):
    argv = [sunup, "render", "env", "--config", config_file]
    if containerd:
        argv += ["--containerd-version", containerd]
    run = subprocess.run(argv, capture_output=True)
    return json.loads(run.stdout) if run.returncode == 0 else None


def command_for(sunup, config_bytes, containerd=""):
    """None if the config is refused, because no client would send a command for it."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(config_bytes)
        file.flush()
        env = environment(sunup, file.name, containerd)
    if env is None:
        return None
    return write(env, json.loads(config_bytes))


def main():
    command = command_for(sys.argv[1], open(sys.argv[2], "rb").read(), *sys.argv[3:4])
    if command is None:
        sys.exit("the config is refused")
    sys.stdout.write(command)


if __name__ == "__main__":
    main()
