#!/usr/bin/env bash
# boots real nodes against a real control plane: ./dev e2e [CASE...] [--vm] [--parts ROW] [--jobs N] [--keep] [--list]
# A case is a folder in tests/e2e/cases/; without names all of them run. Needs root and systemd-nspawn: without them it says so
# and skips, but fails where CI=true. The first run compiles Kubernetes and makes the node images (about twelve minutes, cached).
# --parts ROW  versions of what the nodes are made of; --list shows the rows and the cases
# --vm       nodes in virtual machines (QEMU) instead of containers: a kernel of their own, cgroup v2, a disk that loses what was not
#            synced. Without names, the cases fit for that. With KVM, or in software, which takes about a minute a boot.
# --jobs N   nodes at the same time (default 2, virtual machines 1; take 1 to measure)
# --keep     leaves the nodes running until Enter, and says how to enter them
# The last line counts the cases: "N passed, M failed".
# shellcheck source=tools/dev/lib.sh
groups=()
[[ " $* " != *" --vm "* ]] || groups=(vm)
[[ " $* " == *" --list "* ]] || ready_for_nodes "${groups[@]}"
exec python3 tests/e2e/run.py "$@"
