#!/usr/bin/env bash
# boots a real node and shows it being provisioned, until a pod runs on it: ./dev demo [--quick] [--keep] [--from-nodepool]
# Real systemd and cloud-init in nspawn, real containerd and kubelet, a real control plane beside it. Custom data made by sunup
# starts aks-node-controller on the node; milestones appear as they happen, then the timeline. Installs what is missing, builds,
# and makes a node image; the first run also compiles Kubernetes (about eight minutes, cached, with progress). Nothing stays.
# --quick          without Kubernetes: stops when a stand-in for kubelet has been started with the right flags
# --keep           leaves the node running until Enter, and says how to enter it
# --from-nodepool  the node's custom data comes from a NodePool and its AKSNodeClass, through sunup resolve
words=()
for word in "$@"; do
  case "$word" in
    --quick | --keep | --from-nodepool) words+=("$word") ;;
    *) die "demo knows --quick, --keep and --from-nodepool, not '$word'" ;;
  esac
done
[[ " ${words[*]} " != *" --from-nodepool "* || " ${words[*]} " != *" --quick "* ]] ||
  die "--from-nodepool asks a real cluster: not with --quick"
[ "$(id -u)" != 0 ] || need node
./dev build
python3 tests/e2e/demo.py "${words[@]}"
