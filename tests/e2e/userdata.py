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
