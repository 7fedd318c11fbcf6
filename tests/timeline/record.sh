#!/usr/bin/env bash
# Boots a node of tests/e2e and records what a timeline reads into DIR: tests/timeline/record.sh CASE DIR [BIN-DIR]
# The result is a golden case's `input/`; look through it before committing (it is redacted only by the tools that wrote it).
set -euo pipefail
case=$1 out=$2 bin=${3:-out/bin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkfifo "$work/enter"
python3 tests/e2e/run.py "$case" --keep --jobs 1 --bin "$bin" <"$work/enter" >"$work/out" 2>&1 &
runner=$!
exec 9>"$work/enter"
until grep -q 'nsenter --all' "$work/out"; do
  kill -0 "$runner" || { cat "$work/out" >&2; exit 1; }
  read -rt 1 <> <(:) || true
done
cat "$work/out" >&2
pid=$(sed -n 's/.*--target \([0-9]*\).*/\1/p' "$work/out" | tail -n 1)
on() { nsenter --all --target "$pid" "$@"; }
mkdir -p "$out/events"
units="kubelet.service containerd.service cloud-init-local.service cloud-init.service cloud-init-network.service cloud-config.service cloud-final.service
  aks-node-controller.service walinuxagent.service waagent.service systemd-networkd.service systemd-networkd-wait-online.service
  local-fs.target sysinit.target basic.target network-pre.target network.target network-online.target multi-user.target"
properties=Id,ActiveState,SubState,Result,NRestarts,After,InactiveExitTimestampMonotonic,ExecMainStartTimestampMonotonic
properties+=,ExecMainExitTimestampMonotonic,ActiveEnterTimestampMonotonic,ActiveExitTimestampMonotonic,InactiveEnterTimestampMonotonic
# shellcheck disable=SC2086
{ on systemctl show; echo; on systemctl show --property=$properties $units; } >"$out/units.txt"
on cat /proc/sys/kernel/random/boot_id >"$out/boot_id"
on journalctl --output=json --all --no-pager >"$out/journal.json"
on cat /var/log/azure/aks-node-controller.log >"$out/aks-node-controller.log"
on cat /var/log/azure/aks/provision.json >"$out/provision.json" || true
on cat /var/log/cloud-init.log >"$out/cloud-init.log"
on cat /var/log/azure/aks-node-controller/trace.jsonl >"$out/trace.jsonl" 2>/dev/null || rm -f "$out/trace.jsonl"
on tar -C /var/log/azure/Microsoft.Azure.Extensions.CustomScript/events -c . | tar -C "$out/events" -x
echo >&9
wait "$runner" || true
# --keep also keeps the node's disk.
sed -n 's/^kept: //p' "$work/out" | xargs -r rm -rf --one-file-system
