#!/bin/bash
# What an AKS image does for local DNS, in short: an interface with the two addresses, CoreDNS on them, no connection tracking, and the
# node's resolver behind it once it answers.
set -euo pipefail
directory=/opt/azure/containers/localdns
# A container's kernel may lack the dummy driver; a bridge without ports does as well.
ip link show localdns >/dev/null 2>&1 || ip link add localdns type dummy 2>/dev/null || ip link add localdns type bridge
ip link set localdns up
for address in 169.254.10.10 169.254.10.11; do
  ip addr replace "$address/32" dev localdns scope host
  for chain in OUTPUT PREROUTING; do
    for protocol in tcp udp; do
      rule=("$chain" -p "$protocol" -d "$address" --dport 53 -m comment --comment "localdns: skip conntrack" -j NOTRACK)
      iptables -w -t raw -C "${rule[@]}" 2>/dev/null || iptables -w -t raw -A "${rule[@]}"
    done
  done
done
"$directory/binary/coredns" -conf "$directory/localdns.corefile" &
curl -sf --retry 60 --retry-delay 1 --retry-connrefused -o /dev/null http://169.254.10.10:8181/ready
mkdir -p /run/systemd/network/10-eth0.network.d
printf '[Network]\nDNS=\nDNS=169.254.10.10\n' >/run/systemd/network/10-eth0.network.d/70-localdns.conf
networkctl reload
systemd-notify --ready
wait
