"""Creates an image as described by a golden case's facts.json, as a tree of files for a program."""
import json
import pathlib

OS_RELEASE = {
    "ubuntu2204": 'ID=ubuntu\nVERSION_ID="22.04"\n',
    "ubuntu2404": 'ID=ubuntu\nVERSION_ID="24.04"\n',
    "azurelinux3": 'ID=azurelinux\nVERSION_ID="3.0"\n',
    "flatcar": "ID=flatcar\nVERSION_ID=4230.2.1\n",
}
# An architecture's name in system extensions, and its number in the header of a program.
ARCHITECTURES = {"amd64": ("x86-64", 0x3e), "arm64": ("arm64", 0xb7)}
# The contents of a current image, unless the facts differ.
USUAL_PATHS = [
    "/etc/systemd/system/aks-localdns-hosts-setup.service", "/etc/systemd/system/aks-localdns-hosts-setup.timer",
    "/etc/systemd/system/localdns-exporter.socket", "/etc/systemd/system/localdns.service",
    "/opt/azure/containers/aks-localdns-hosts-setup.sh", "/opt/azure/containers/localdns/localdns.sh",
    "/opt/azure/vhd-install.complete", "/sys/fs/cgroup/cgroup.controllers",
]


class Image:
    def __init__(self, root: pathlib.Path):
        self.root = root
        root.mkdir(parents=True)
        root.chmod(0o755)

    def path(self, name: str) -> pathlib.Path:
        return self.root / name.lstrip("/")

    def put(self, name: str, text: str, mode: int = 0o644):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)


def make(root: pathlib.Path, facts: dict, config: dict, arch: str = "amd64") -> Image:
    image, version = Image(root), config.get("kubernetes_version", "")
    extension_arch, machine = ARCHITECTURES[arch]
    image.put("/usr/bin/bash", "", 0o755)
    image.path("/usr/bin/bash").write_bytes(b"\x7fELF\x02\x01\x01".ljust(18, b"\0") + bytes([machine, 0]))
    image.put("/etc/os-release", OS_RELEASE[facts.get("os", "ubuntu2204")])
    image.put("/etc/hostname", facts.get("hostname", "") + "\n")
    image.put("/proc/sys/kernel/hostname", facts.get("hostname", "") + "\n")
    image.put("/proc/sys/kernel/osrelease", facts.get("kernel_release", "") + "\n")
    image.put("/run/systemd/resolve/resolv.conf", "nameserver 10.0.0.10\n")
    image.put("/etc/resolv.conf", "nameserver 127.0.0.53\n")
    image.put("/var/lib/dpkg/status", f"\nPackage: containerd\nVersion: {facts.get('containerd_version', '')}\n\n")
    for path in facts.get("paths", USUAL_PATHS):
        image.put(path, "", 0o755 if path.endswith(".sh") else 0o644)
    for path, text in facts.get("texts", {}).items():
        image.put(path, text, int(facts.get("modes", {}).get(path, "0644"), 8))
    if "gpu_images" in facts:
        image.put("/opt/azure/components.json", json.dumps(facts["gpu_images"]))
    prepared = facts.get("base_prep_done", False)
    if prepared:
        image.put("/opt/azure/containers/base_prep.complete", "")
    for tool in ("kubelet", "kubectl"):
        if facts.get("os") == "flatcar":  # system extensions, not merged yet
            image.put(f"/opt/{tool}/downloads/{tool}-v{version}-1-azlinux3-{extension_arch}.raw", f"{tool} {version}\n")
        else:
            image.put(f"/opt/bin/{tool}" + ("" if prepared else f"-{version}"), f"{tool} {version}\n", 0o755)
    if facts.get("os") == "flatcar":
        image.put(f"/opt/azure-acr-credential-provider/downloads/azure-acr-credential-provider-v{version}-1-azlinux3-{extension_arch}.raw",
                  "provider\n")
    else:
        image.put("/var/lib/kubelet/credential-provider/acr-credential-provider", "provider\n", 0o755)
    for plugin in ("azure-vnet", "bridge", "host-local", "loopback"):
        image.put(f"/opt/cni/bin/{plugin}", f"{plugin}\n", 0o755)
    if not image.path("/opt/cni/bin/10-azure.conflist").exists():
        image.put("/opt/cni/bin/10-azure.conflist", '{"plugins":[{"type":"azure-vnet","mode":"bridge"}]}')
    # Files that a provisioned node does not keep, and the metadata response with which the image was captured.
    for folder in ("/opt/cni/downloads", "/opt/kubelet/downloads", "/opt/kubectl/downloads",
                   "/opt/azure-acr-credential-provider/downloads", "/opt/gpu", "/usr/local/nvidia"):
        image.put(f"{folder}/old", "left over\n")
    image.put("/opt/azure/containers/imds_instance_metadata_cache.json", "{}\n")
    if config.get("gpu_config", {}).get("enable_managed_gpu"):
        for name in ("datacenter-gpu-manager-4-core", "datacenter-gpu-manager-4-proprietary", "dcgm-exporter", "nvidia-device-plugin"):
            image.put(f"/opt/{name}/downloads/{name}_1.0_amd64.deb", name)
    return image
