#!/bin/bash
# A small stand-in for an image's provisioning scripts: takes the CSE environment and brings up containerd and kubelet with it, and
# leaves an event for the guest agent for each step, as those scripts do.
# shellcheck disable=SC2317  # what the work calls, it calls by name through a variable
start=$SECONDS
begin=$(date +%s%3N)
events=/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events
log=/var/log/azure/cluster-provision.log
mkdir -p /var/log/azure/aks "$events"

when() { date -d "@${1%???}.${1: -3}" '+%F %T.%3N'; }

# event NAME START-MS END-MS LEVEL MESSAGE
event() {
  jq -cn --arg task "AKS.CSE.$1" --arg from "$(when "$2")" --arg to "$(when "$3")" --arg level "$4" --arg message "$5" \
    '{Timestamp: $from, OperationId: $to, Version: "1.23", TaskName: $task, EventLevel: $level, Message: $message,
      EventPid: "0", EventTid: "0"}' >"$events/$2.json"
}

step() {
  local from
  from=$(date +%s%3N)
  "$1"
  event "$1" "$from" "$(date +%s%3N)" Informational "Completed: $1"
}

provision() {
  set -euo pipefail
  step configureK8s
  step ensureContainerd
  step ensureKubelet
}

configureK8s() {
  mkdir -p /etc/kubernetes/certs /etc/kubernetes/manifests /var/lib/kubelet /etc/systemd/system/kubelet.service.d /etc/containerd
  umask 077
  base64 -d <<<"$KUBE_CA_CRT" >/etc/kubernetes/certs/ca.crt
  # With rotation kubelet asks the cluster for its serving certificate and must not be pointed at one of its own.
  local serving='.'
  if [ "$ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION" = true ]; then
    serving='del(.tlsCertFile, .tlsPrivateKeyFile)'
  else
    openssl req -x509 -newkey rsa:2048 -noenc -days 7300 -subj "/CN=system:node:$(hostname)" \
      -keyout /etc/kubernetes/certs/kubeletserver.key -out /etc/kubernetes/certs/kubeletserver.crt
  fi
  if [ "$KUBELET_CONFIG_FILE_ENABLED" = true ]; then
    base64 -d <<<"$KUBELET_CONFIG_FILE_CONTENT" | jq "$serving" >/etc/default/kubeletconfig.json
    drop_in 10-componentconfig "KUBELET_CONFIG_FILE_FLAGS=--config /etc/default/kubeletconfig.json"
  fi
  printf 'KUBELET_FLAGS=%s\nKUBELET_NODE_LABELS=%s\n' "$KUBELET_FLAGS" "$KUBELET_NODE_LABELS" >/etc/default/kubelet
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
}

ensureContainerd() {
  base64 -d <<<"$CONTAINERD_CONFIG_CONTENT" >/etc/containerd/config.toml
  systemctl daemon-reload
  systemctl start --no-block containerd
}

ensureKubelet() {
  local address
  address=$(curl -sS --retry 20 --retry-delay 1 --retry-connrefused -H Metadata:true \
    'http://169.254.169.254/metadata/instance?api-version=2021-02-01' |
    jq -er '.network.interface[0].ipv4.ipAddress[0].privateIpAddress')
  drop_in 10-tlsbootstrap "KUBELET_TLS_BOOTSTRAP_FLAGS=--kubeconfig /var/lib/kubelet/kubeconfig --bootstrap-kubeconfig /var/lib/kubelet/bootstrap-kubeconfig"
  drop_in 10-containerd-base-flag "KUBELET_CONTAINERD_FLAGS=--runtime-request-timeout=15m --container-runtime-endpoint=unix:///run/containerd/containerd.sock --runtime-cgroups=/system.slice/containerd.service"
  drop_in 10-ensure-imds-restriction "PRIMARY_NIC_IP=$address"
  # From 1.29 on a node of an external cloud provider has no address without.
  sed -i "s|^KUBELET_FLAGS=.*|& --node-ip=$address|" /etc/default/kubelet
  drop_in 10-credential-validation "CREDENTIAL_VALIDATION_KUBE_CA_FILE=/etc/kubernetes/certs/ca.crt" \
    "CREDENTIAL_VALIDATION_APISERVER_URL=https://$API_SERVER_NAME:443"
  mv "/opt/bin/kubelet-$KUBERNETES_VERSION" /opt/bin/kubelet
  systemctl daemon-reload
  systemctl start --no-block kubelet
}

drop_in() {
  local name=$1 line
  shift
  {
    echo "[Service]"
    for line in "$@"; do printf 'Environment="%s"\n' "$line"; done
  } >"/etc/systemd/system/kubelet.service.d/$name.conf"
}

(provision) >>"$log" 2>&1
code=$?
# In this order, because a process that waits for the marker reads the result as soon as the marker appears.
jq -cn --arg code "$code" --arg output "$(tail -c 3000 "$log")" --arg seconds "$((SECONDS - start))" \
  '{ExitCode: $code, Output: $output, Error: "", ExecDuration: $seconds}' >/var/log/azure/aks/provision.json
end=$(date +%s%3N)
event cse_start "$begin" "$end" "" "$(jq -cn --arg code "$code" --arg seconds "$(((end - begin) / 1000))" '{ExitCode: $code, E2E: $seconds}')"
touch /opt/azure/containers/provision.complete
exit "$code"
