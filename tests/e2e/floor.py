"""A node without a provisioner: every file kubelet needs is on the disk before the first boot.

It shows that the harness works, and how fast a node can be at best: a provisioner can only come close to this.
"""

import json

import nodeconfig
import parts
import userdata
from controlplane import DOMAIN
from machine import Machine


def prepare(node: Machine, row: parts.Parts):
    node.path("/opt/bin/kubelet").symlink_to(f"kubelet-{row.version}")
    node.write("/etc/kubernetes/certs/ca.crt", (node.cp.dir / "ca.crt").read_bytes(), 0o600)
    node.write("/var/lib/kubelet/bootstrap-kubeconfig", f"""\
apiVersion: v1
kind: Config
clusters:
- name: localcluster
  cluster:
    certificate-authority: /etc/kubernetes/certs/ca.crt
    server: https://floor.{DOMAIN}:443
users:
- name: kubelet-bootstrap
  user:
    token: "{node.cp.token}"
contexts:
- context:
    cluster: localcluster
    user: kubelet-bootstrap
  name: bootstrap-context
current-context: bootstrap-context
""", 0o600)
    node.write("/etc/default/kubeletconfig.json", json.dumps({
        "kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "authentication": {"x509": {"clientCAFile": "/etc/kubernetes/certs/ca.crt"}, "webhook": {"enabled": True}, "anonymous": {"enabled": False}},
        "authorization": {"mode": "Webhook"},
        "clusterDomain": "cluster.local", "clusterDNS": ["10.0.0.10"], "resolvConf": "/run/systemd/resolve/resolv.conf",
        "rotateCertificates": True, "failSwapOn": False, "protectKernelDefaults": True,
        **({"failCgroupV1": False} if "--fail-cgroupv1" in nodeconfig.for_node(row, node.cgroup_v2)["kubelet_config"]["kubelet_flags"] else {}),
    }, indent=4), 0o600)
    node.write("/etc/default/kubelet", "KUBELET_FLAGS=\nKUBELET_NODE_LABELS=kubernetes.azure.com/mode=system\n", 0o600)
    for name, value in {
        "10-containerd-base-flag": "KUBELET_CONTAINERD_FLAGS=--runtime-request-timeout=15m --container-runtime-endpoint="
                                   "unix:///run/containerd/containerd.sock --runtime-cgroups=/system.slice/containerd.service",
        "10-componentconfig": "KUBELET_CONFIG_FILE_FLAGS=--config /etc/default/kubeletconfig.json",
        "10-tlsbootstrap": "KUBELET_TLS_BOOTSTRAP_FLAGS=--kubeconfig /var/lib/kubelet/kubeconfig "
                           "--bootstrap-kubeconfig /var/lib/kubelet/bootstrap-kubeconfig",
        "10-ensure-imds-restriction": "PRIMARY_NIC_IP=10.224.0.4",
    }.items():
        node.write(f"/etc/systemd/system/kubelet.service.d/{name}.conf", f'[Service]\nEnvironment="{value}"\n')
    node.write("/etc/containerd/config.toml", """\
version = 2
oom_score = -999
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "mcr.microsoft.com/oss/v2/kubernetes/pause:3.6"
""")
    node.seed(userdata.boothook("systemctl daemon-reload\nsystemctl start --no-block containerd kubelet\n"))
