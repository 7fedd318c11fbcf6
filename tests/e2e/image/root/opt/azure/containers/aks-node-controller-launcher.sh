#!/bin/bash
# The boothook of an image starts this script: it waits for the final host name (which becomes the node's name), then provisions.
set -uo pipefail
bin=${BIN_PATH:-/opt/azure/containers/aks-node-controller}
config=${CONFIG_PATH:-/opt/azure/containers/aks-node-controller-config.json}
nbc=${NBC_CMD_PATH:-/opt/azure/containers/aks-node-controller-nbc-cmd.sh}
until [ "$(hostname)" = "$(cat /etc/hostname)" ]; do sleep 0.1; done
args=()
[ -f "$config" ] && args+=("--provision-config=$config")
[ -f "$nbc" ] && args+=("--nbc-cmd=$nbc")
[ ${#args[@]} -gt 0 ] || exit 0
exec "$bin" provision "${args[@]}"
