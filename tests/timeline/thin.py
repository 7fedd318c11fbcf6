#!/usr/bin/env python3
"""Makes a recording (record.sh) small enough to keep: thin.py RECORDING CASE/input. What a timeline reads stays as it was recorded."""

import json
import re
import shutil
import sys
from pathlib import Path

FIELDS = {"MESSAGE", "MESSAGE_ID", "UNIT", "_BOOT_ID", "_HOSTNAME", "_SYSTEMD_UNIT", "_TRANSPORT", "KERNEL_USEC",
          "_SOURCE_REALTIME_TIMESTAMP", "_SOURCE_MONOTONIC_TIMESTAMP", "__REALTIME_TIMESTAMP", "__MONOTONIC_TIMESTAMP"}
UNITS = re.compile(r"(cloud-(init-local|init|init-network|config|final)|systemd-networkd(-wait-online)?|(wa|walinux)agent|aks-node-controller|containerd|kubelet)"
                   r"\.service|(local-fs|sysinit|basic|network-pre|network|network-online|multi-user)\.target")
STARTUP_FINISHED = "b07a249cd024414a82dd00cd181378ff"
# Hundreds of lines that say nothing about time.
NOISE = re.compile(r"FLAG:|Loaded volume plugin|Starting reflector|ci-info|group|_wrappers|clientconn|fingerprint|SHA256|level=info")


def main(source: Path, target: Path):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    lines = []
    for line in (source / "journal.json").read_text().splitlines():
        entry = {k: v for k, v in json.loads(line).items() if k in FIELDS}
        about = entry.get("UNIT") or entry.get("_SYSTEMD_UNIT", "")
        wanted = UNITS.fullmatch(about) or entry.get("MESSAGE_ID") == STARTUP_FINISHED
        if wanted and not NOISE.search(str(entry.get("MESSAGE"))):
            lines.append(json.dumps(entry))
    (target / "journal.json").write_text("\n".join(lines) + "\n")
    log = [line for line in (source / "cloud-init.log").read_text().splitlines() if re.search(r"boothook|BootHook|stages.py", line)]
    (target / "cloud-init.log").write_text("\n".join(log) + "\n")
    units, wanted = [], re.compile(r"(Id|After|ActiveState|SubState|Result|NRestarts|\w+Timestamp(Monotonic)?)=")
    for line in (source / "units.txt").read_text().splitlines():
        if not line or wanted.match(line):
            units.append(line)
    (target / "units.txt").write_text("\n".join(units) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
