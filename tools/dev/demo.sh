#!/usr/bin/env bash
# boots a real node and provisions it to NodeReady: ./dev demo [--keep]
# Real systemd and cloud-init in nspawn, real containerd and kubelet, a real control plane beside it. aks-node-controller gives the
# image's own script the CSE environment made from the config; the node joins by TLS bootstrap. The first run compiles Kubernetes
# (a quarter of an hour, cached).
# --keep   leaves the node running until Enter, and says how to enter it
keep=()
for word in "$@"; do
  case "$word" in
    --keep) keep=(--keep) ;;
    *) die "demo knows --keep, not '$word'" ;;
  esac
done
./dev build
say "the config, judged: sunup config check tests/e2e/config.json"
out/bin/sunup config check tests/e2e/config.json || true
say "booting a node and provisioning it from that config"
./dev e2e scripts-mode --jobs 1 "${keep[@]}"
say "next: ./dev demo --keep, then look around in the node; out/bin/sunup --help; docs/"
