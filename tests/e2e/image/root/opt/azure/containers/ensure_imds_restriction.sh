#!/bin/bash
# Closes the metadata service to pods, or opens it again, as the kubelet drop-in says. Without the node's address it must not start.
[ -n "${PRIMARY_NIC_IP:-}" ] || {
  echo "PRIMARY_NIC_IP is not set"
  exit 1
}
note='AKS managed: added by AgentBaker ensureIMDSRestriction for IMDS restriction feature'
rule=(FORWARD ! -s "$PRIMARY_NIC_IP" -d 169.254.169.254/32 -p tcp --dport 80 -m comment --comment "$note" -j DROP)
if [ "${ENABLE_IMDS_RESTRICTION,,}" = true ]; then
  table=filter
  [ "${INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE,,}" = true ] && table=mangle
  iptables -w -t "$table" -C "${rule[@]}" 2>/dev/null || iptables -w -t "$table" -I "${rule[@]}"
else
  for table in mangle filter; do
    iptables -w -t "$table" -C "${rule[@]}" 2>/dev/null && iptables -w -t "$table" -D "${rule[@]}"
  done
  true
fi
