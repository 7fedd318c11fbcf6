#!/usr/bin/env bash
# ./dev demo --from-nodepool: one step earlier than the plain demo. Shows the pool and its class and which source decides what, then runs
# case from-nodepool of tests/e2e: a real cluster is asked, the launch template's custom data boots the node, which becomes Ready.
# docs/from-nodepool-to-node.md is the walk-through. SUNUP_E2E_MODE=scripts provisions with an image's own scripts instead.
# shellcheck disable=SC2154  # words is the caller's
[[ " ${words[*]} " != *" --quick "* ]] || die "--from-nodepool asks a real cluster: not with --quick"
say "a pool and its class: examples/fleet/"
cat examples/fleet/nodepool.yaml examples/fleet/nodeclass.yaml
say "which source decides what: sunup resolve --explain (some of it)"
out/bin/sunup resolve --settings examples/fleet/settings.yaml --nodepool examples/fleet/nodepool.yaml \
  --nodeclass examples/fleet/nodeclass.yaml --bootstrap nodeconfig --explain |
  grep -E 'SET BY|osDiskSizeGB|--max-pods|--cpu-manager|--register-with-taints|^ +team ' | cut -c1-160
say "asking a real cluster, making the launch template, booting a machine with its custom data"
exec ./dev e2e from-nodepool --jobs 1 "${words[@]}"
