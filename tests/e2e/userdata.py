"""The custom data of a node: a boothook in the format that cloud-init reads."""

import base64
import gzip

BOUNDARY = "sunup-e2e-boundary"


def boothook(script: str) -> str:
    """Multipart user data whose boothook is this script (without its #! line), run in cloud-init's network stage."""
    return f"""\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="{BOUNDARY}"

--{BOUNDARY}
Content-Type: text/cloud-boothook; charset="us-ascii"

#cloud-boothook
#!/bin/bash
{script.rstrip()}

--{BOUNDARY}
Content-Type: text/cloud-config; charset="us-ascii"

#cloud-config
runcmd:
- echo "custom data was processed at $(date)"

--{BOUNDARY}--
"""


def provision_boothook(config_base64: str, arguments: str = "") -> str:
    """Writes the config and starts the controller in the background, as the custom data of a real node does."""
    directory = "/opt/azure/containers"
    return boothook(f"""\
set -euo pipefail
mkdir -p {directory} /var/log/azure
(umask 077; base64 -d >{directory}/aks-node-controller-config.json <<'EOF'
{config_base64}
EOF
)
nohup {directory}/aks-node-controller provision --provision-config={directory}/aks-node-controller-config.json {arguments} \\
  >/var/log/azure/aks-node-controller.output 2>&1 </dev/null &
""")


def original_boothook(path: str, body: str, how: str) -> bytes:
    """The boothook of today's control planes for one file: body is what the shell pipeline writes the file from."""
    return f"""\
#cloud-boothook
#!/bin/bash
set -euo pipefail

logger -t aks-boothook "boothook start $(date -Ins)"

mkdir -p /opt/azure/containers
mkdir -p /var/log/azure
nohup /bin/bash /opt/azure/containers/provision_preload.sh >/dev/null 2>&1 &

cat <<'EOF' | {how} >{path}
{body}
EOF
chmod 0600 {path}

logger -t aks-boothook "launching aks-node-controller service $(date -Ins)"
if [ -f /opt/azure/containers/aks-node-controller-launcher.sh ]; then
  nohup /bin/bash /opt/azure/containers/aks-node-controller-launcher.sh >/var/log/azure/aks-node-controller.output 2>&1 &
else
  systemctl start --no-block aks-node-controller.service
fi
""".encode()


def original_mime(boothook: bytes) -> bytes:
    """The same in the document that these control planes send: headers end with CRLF, lines of the parts with LF."""
    boundary = "0f" * 30

    def part(kind: str, text: bytes) -> bytes:
        return f"--{boundary}\r\nContent-Transfer-Encoding: 7bit\r\nContent-Type: text/{kind}\r\nMime-Version: 1.0\r\n\r\n".encode() + text + b"\r\n"

    cloud_config = b'#cloud-config\nruncmd:\n- echo "AKS Node Controller cloud-init completed at $(date)"\n'
    return (f'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="{boundary}"\r\n\r\n'.encode()
            + part("cloud-boothook", boothook) + part("cloud-config", cloud_config) + f"--{boundary}--\r\n".encode())


def command_boothook(command: str) -> str:
    """Brings only a ready-made command, in the form that a control plane sends, and starts the image's launcher or our service."""
    directory = "/opt/azure/containers"
    packed = base64.b64encode(gzip.compress(command.encode(), mtime=0)).decode()
    return boothook(f"""\
set -euo pipefail
mkdir -p {directory} /var/log/azure
(umask 077; base64 -d <<'EOF' | gzip -d >{directory}/aks-node-controller-nbc-cmd.sh
{packed}
EOF
)
if [ -f {directory}/aks-node-controller-launcher.sh ]; then
  nohup {directory}/aks-node-controller-launcher.sh >/var/log/azure/aks-node-controller.output 2>&1 </dev/null &
else
  systemctl start --no-block aks-node-controller.service
fi
""")
