#!/bin/bash
# Tells in kubelet's journal whether the bootstrap token is accepted. Only a diagnosis: never keeps kubelet from starting.
[ -e /var/lib/kubelet/kubeconfig ] && {
  echo "client credential already exists within kubeconfig"
  exit 0
}
[ -n "${CREDENTIAL_VALIDATION_KUBE_CA_FILE:-}" ] && [ -n "${CREDENTIAL_VALIDATION_APISERVER_URL:-}" ] || exit 0
token=$(sed -n 's/^ *token: *"\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' /var/lib/kubelet/bootstrap-kubeconfig 2>/dev/null)
[ -n "$token" ] || exit 0
# The header goes in through a file descriptor: an argument would show the token to every user of the machine.
status=$(curl -s -L -o /dev/null -m 5 -w '%{http_code}' --cacert "$CREDENTIAL_VALIDATION_KUBE_CA_FILE" \
  -H @<(printf 'Authorization: Bearer %s\n' "$token") "$CREDENTIAL_VALIDATION_APISERVER_URL/version?timeout=5s")
if [ "${status:-000}" -ge 200 ] && [ "$status" -lt 400 ]; then
  echo "kubelet bootstrap token credential is valid"
else
  echo "unable to validate bootstrap credentials: HTTP status $status"
fi
exit 0
