#!/usr/bin/env bash
# boot real nodes and test them with a real control plane: ./dev e2e [CASE...] [--vm] [--parts ROW] [--jobs N] [--keep] [--list]
# A case is a folder in tests/e2e/cases/; without names, all cases run. Needs root and systemd-nspawn; if they are missing, the
# tests are skipped with a message, or fail if CI=true. The first run compiles Kubernetes and creates the node images (about
# twelve minutes, cached).
# --parts ROW  the versions of the node's components; --list shows the rows and the cases
# --vm       run the nodes in virtual machines (QEMU) instead of containers: own kernel, cgroup v2, a disk that loses unsynced
#            data. Without names, all cases that are marked for it run. Uses KVM, or emulation (about a minute per boot).
# --jobs N   number of nodes at the same time (default two for each processor, virtual machines 1; use 1 for measurements)
# --keep     keep the nodes running until Enter is pressed, and print how to enter them
# The last line counts the cases: "N passed, M failed".
# shellcheck source=tools/dev/lib.sh
groups=()
[[ " $* " != *" --vm "* ]] || groups=(vm)
[[ " $* " == *" --list "* ]] || ready_for_nodes "${groups[@]}"
exec python3 tests/e2e/run.py "$@"
