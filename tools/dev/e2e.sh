#!/usr/bin/env bash
# boots real nodes against a real control plane: ./dev e2e [CASE...] [--parts ROW] [--jobs N] [--keep] [--list]
# A case is a folder in tests/e2e/cases/; without names all of them run. Needs root and systemd-nspawn: without them it says so
# and skips, but fails where CI=true. The first run compiles Kubernetes and makes the node images (about twelve minutes, cached).
# --parts ROW  versions of what the nodes are made of; --list shows the rows and the cases
# --jobs N   nodes at the same time (default 2; take 1 to measure)
# --keep     leaves the nodes running until Enter, and says how to enter them
# The last line counts the cases: "N passed, M failed".
# shellcheck source=tools/dev/lib.sh
[[ " $* " == *" --list "* ]] || ready_for_nodes
exec python3 tests/e2e/run.py "$@"
