#!/usr/bin/env bash
# boot a real node and show its provisioning until a pod runs: ./dev demo [--quick] [--keep] [--from-nodepool]
# The node runs real systemd and cloud-init in nspawn, with real containerd and kubelet; a real control plane runs next to it.
# Custom data rendered by sunup starts aks-node-controller on the node. Milestones are shown as they happen, then the timeline.
# Installs missing packages, builds the programs, and creates a node image. The first run also compiles Kubernetes (about nine
# minutes, cached), and until that is done shows the same node with a stand-in for it. The node is removed at the end.
# --quick          without Kubernetes: ends when a stand-in for kubelet has been started with the right flags
# --keep           keep the node running until Enter is pressed, and print how to enter it
# --from-nodepool  create the node's custom data from a NodePool and its AKSNodeClass with sunup resolve
words=()
for word in "$@"; do
  case "$word" in
    --quick | --keep | --from-nodepool) words+=("$word") ;;
    *) die "demo knows --quick, --keep and --from-nodepool, not '$word'" ;;
  esac
done
[[ " ${words[*]} " != *" --from-nodepool "* || " ${words[*]} " != *" --quick "* ]] ||
  die "--from-nodepool asks a real cluster: not with --quick"
if [ "$(id -u)" = 0 ]; then
  need node
  # Runs beside the build with a lower priority, because the programs are needed first. demo.py waits for it and shows its progress.
  if [[ " ${words[*]} " != *" --quick "* ]]; then
    # In its own process group, so that all of it can be ended; not in its own session, or nice would have no effect.
    set -m
    python3 tests/e2e/k8s.py current </dev/null >/dev/null 2>&1 &
    set +m
    trap 'kill -- -$! 2>/dev/null || true' EXIT
  fi
fi
./dev build
python3 tests/e2e/demo.py "${words[@]}"
