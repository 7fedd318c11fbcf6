#!/bin/bash
# The work of provisioning as a competent administrator would script it: sequentially, with checks, and with retries where the network is
# involved. bench/node.py compares it with the built-in steps. Input: the CSE environment in $1 (shell assignments).
set -euo pipefail
. "$1"
start=$SECONDS
log=/var/log/azure/cluster-provision.log
mkdir -p /var/log/azure/aks
exec >>"$log" 2>&1

retry() { # retry TRIES PAUSE COMMAND...
  local tries=$1 pause=$2 i
  shift 2
  for ((i = 1; i <= tries; i++)); do
    "$@" && return
    sleep "$pause"
  done
  return 1
}

finish() {
  local code=$?
  jq -cn --arg code "$code" --rawfile log "$log" --arg seconds "$((SECONDS - start))" --arg begin "$began" \
    --arg kubelet "$(systemctl show -P ExecMainStartTimestamp kubelet)" \
    '{ExitCode: $code, Output: $log[-3000:], Error: "", ExecDuration: $seconds, CSEStartTime: $begin,
      BootDatapoints: {KubeletStartTime: $kubelet}}' >/var/log/azure/aks/provision.json
  sync -f /opt/azure/containers
  touch /opt/azure/containers/provision.complete
}
began=$(date)
trap finish EXIT

drop_in() { # drop_in NAME VARIABLE=VALUE...
  local name=$1 line
  shift
  {
    echo "[Service]"
    for line in "$@"; do echo "Environment=\"$line\""; done
  } >"/etc/systemd/system/kubelet.service.d/$name.conf"
}

mkdir -p /etc/kubernetes/certs /etc/kubernetes/manifests /etc/containerd /etc/systemd/system/{kubelet,containerd}.service.d \
  /etc/sysctl.d /etc/modules-load.d /var/lib/kubelet

# The data of the metadata service about this machine.
metadata=$(curl -sS --fail --retry 20 --retry-delay 2 --retry-connrefused --max-time 5 -H Metadata:true \
  'http://169.254.169.254/metadata/instance?api-version=2021-02-01')
address=$(jq -er '.network.interface[0].ipv4.ipAddress[0].privateIpAddress' <<<"$metadata")
rotation_off=$(jq -r '.compute.tagsList[] | select(.name == "aks-disable-kubelet-serving-certificate-rotation").value' <<<"$metadata")

# The kernel. Modules may be built in.
for module in br_netfilter nf_conntrack overlay; do
  echo "$module" >"/etc/modules-load.d/$module.conf"
  modprobe "$module" || true
done
base64 -d <<<"$SYSCTL_CONTENT" >/etc/sysctl.d/999-sysctl-aks.conf
echo 'net.ipv4.ip_forward = 1' >/etc/sysctl.d/99-force-bridge-forward.conf
sysctl --system || true

# containerd
base64 -d <<<"$CONTAINERD_CONFIG_CONTENT" >/etc/containerd/config.toml
printf '[Service]\nExecStartPost=/sbin/iptables -P FORWARD ACCEPT\n' >/etc/systemd/system/containerd.service.d/exec_start.conf
systemctl daemon-reload
systemctl enable --now containerd
retry 240 0.1 ctr version

# kubelet's files
umask 077
jq -n --arg cloud "$TARGET_CLOUD" --arg tenant "$TENANT_ID" --arg subscription "$SUBSCRIPTION_ID" --arg id "$SERVICE_PRINCIPAL_CLIENT_ID" \
  --rawfile secret <(base64 -d <<<"$SERVICE_PRINCIPAL_FILE_CONTENT") --arg group "$RESOURCE_GROUP" --arg location "$LOCATION" \
  --arg type "$VM_TYPE" --arg subnet "$SUBNET" --arg nsg "$NETWORK_SECURITY_GROUP" --arg vnet "$VIRTUAL_NETWORK" \
  --arg routes "$ROUTE_TABLE" --arg set "$PRIMARY_SCALE_SET" --arg identity "$USER_ASSIGNED_IDENTITY_ID" --arg sku "$LOAD_BALANCER_SKU" \
  '{cloud: $cloud, tenantId: $tenant, subscriptionId: $subscription, aadClientId: $id, aadClientSecret: $secret, resourceGroup: $group,
    location: $location, vmType: $type, subnetName: $subnet, securityGroupName: $nsg, vnetName: $vnet, vnetResourceGroup: $group,
    routeTableName: $routes, primaryScaleSetName: $set, useManagedIdentityExtension: true, userAssignedIdentityID: $identity,
    useInstanceMetadata: true, loadBalancerSku: $sku}' >/etc/kubernetes/azure.json
base64 -d <<<"$KUBE_CA_CRT" >/etc/kubernetes/certs/ca.crt
labels=$KUBELET_NODE_LABELS
if [ "$ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION" = true ] && [ "$rotation_off" != true ]; then
  base64 -d <<<"$KUBELET_CONFIG_FILE_CONTENT" | jq 'del(.tlsCertFile, .tlsPrivateKeyFile)' >/etc/default/kubeletconfig.json
else
  base64 -d <<<"$KUBELET_CONFIG_FILE_CONTENT" | jq '.serverTLSBootstrap = false' >/etc/default/kubeletconfig.json
  labels=$(sed 's/,\?kubernetes.azure.com\/kubelet-serving-ca=cluster//' <<<"$labels")
  openssl req -x509 -newkey rsa:2048 -noenc -days 7300 -subj "/CN=$(hostname)" -addext "subjectAltName=DNS:$(hostname)" \
    -keyout /etc/kubernetes/certs/kubeletserver.key -out /etc/kubernetes/certs/kubeletserver.crt
fi
cat >/etc/default/kubelet <<EOF
KUBELET_FLAGS=$KUBELET_FLAGS --node-ip=$address
KUBELET_REGISTER_SCHEDULABLE=true
NETWORK_POLICY=$NETWORK_POLICY
KUBELET_NODE_LABELS=$labels
EOF
cat >/var/lib/kubelet/bootstrap-kubeconfig <<EOF
apiVersion: v1
kind: Config
clusters:
- name: localcluster
  cluster:
    certificate-authority: /etc/kubernetes/certs/ca.crt
    server: https://$API_SERVER_NAME:443
users:
- name: kubelet-bootstrap
  user:
    token: "$TLS_BOOTSTRAP_TOKEN"
contexts:
- context:
    cluster: localcluster
    user: kubelet-bootstrap
  name: bootstrap-context
current-context: bootstrap-context
EOF
drop_in 10-tlsbootstrap "KUBELET_TLS_BOOTSTRAP_FLAGS=--kubeconfig /var/lib/kubelet/kubeconfig --bootstrap-kubeconfig /var/lib/kubelet/bootstrap-kubeconfig"
drop_in 10-componentconfig "KUBELET_CONFIG_FILE_FLAGS=--config /etc/default/kubeletconfig.json"
drop_in 10-containerd-base-flag "KUBELET_CONTAINERD_FLAGS=--runtime-request-timeout=15m --container-runtime-endpoint=unix:///run/containerd/containerd.sock --runtime-cgroups=/system.slice/containerd.service"
drop_in 10-ensure-imds-restriction "PRIMARY_NIC_IP=$address" "ENABLE_IMDS_RESTRICTION=$ENABLE_IMDS_RESTRICTION" \
  "INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE=$INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE"
drop_in 10-credential-validation "CREDENTIAL_VALIDATION_KUBE_CA_FILE=/etc/kubernetes/certs/ca.crt" \
  "CREDENTIAL_VALIDATION_APISERVER_URL=https://$API_SERVER_NAME:443"
umask 022
for program in kubelet kubectl; do
  mv "/opt/bin/$program-$KUBERNETES_VERSION" "/opt/bin/$program"
  chmod 0755 "/opt/bin/$program"
done

# Checks that the outside network and the API server are reachable.
# shellcheck disable=SC2086  # a command with its arguments
outbound() { timeout 15 $OUTBOUND_COMMAND; }
retry 20 1 outbound || exit 50
retry 300 1 getent ahostsv4 "$API_SERVER_NAME" || exit 52
retry 34 1 curl -sS -o /dev/null --max-time 15 --cacert /etc/kubernetes/certs/ca.crt "https://$API_SERVER_NAME:443" || exit 51

systemctl daemon-reload
systemctl enable --now kubelet || exit 34
systemctl is-active containerd || exit 4
systemctl is-active kubelet || exit 34
