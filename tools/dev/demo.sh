#!/usr/bin/env bash
# boots a real node and provisions it to NodeReady: ./dev demo [--keep] [--from-nodepool]
# Real systemd and cloud-init in nspawn, real containerd and kubelet, a real control plane beside it. aks-node-controller gives the
# image's own script the CSE environment made from the config; the node joins by TLS bootstrap. The first run compiles Kubernetes
# (a quarter of an hour, cached).
# --keep           leaves the node running until Enter, and says how to enter it
# --from-nodepool  starts one step earlier, with a NodePool and an AKSNodeClass: docs/from-nodepool-to-node.md
keep=() from=config
for word in "$@"; do
  case "$word" in
    --keep) keep=(--keep) ;;
    --from-nodepool) from=nodepool ;;
    *) die "demo knows --keep and --from-nodepool, not '$word'" ;;
  esac
done
./dev build
if [ $from = nodepool ]; then
  say "a pool and a class: examples/fleet/"
  cat examples/fleet/nodepool.yaml examples/fleet/nodeclass.yaml
  say "which source decides what: sunup resolve --explain (some of it)"
  out/bin/sunup resolve --settings examples/fleet/settings.yaml --nodepool examples/fleet/nodepool.yaml \
    --nodeclass examples/fleet/nodeclass.yaml --bootstrap nodeconfig --explain |
    grep -E 'SET BY|osDiskSizeGB|--max-pods|--cpu-manager|--register-with-taints|^ +team ' | cut -c1-160
  say "asking a real cluster, making the launch template, booting a machine with its custom data"
  ./dev e2e from-nodepool --jobs 1 "${keep[@]}"
else
  say "the config, judged: sunup config check tests/e2e/config.json"
  out/bin/sunup config check tests/e2e/config.json || true
  say "booting a node and provisioning it from that config"
  ./dev e2e scripts-mode --jobs 1 "${keep[@]}"
fi
say "next: ./dev demo --keep, then look around in the node; out/bin/sunup --help; docs/"
