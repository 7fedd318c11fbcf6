#!/usr/bin/env python3
"""Makes the cases that no ordinary boot shows out of recorded ones: derive.py

clock-set       scripts: the wall clock was 2 h 5 s behind until cloud-init's network stage, then set
rebooted        scripts: the node was rebooted after the run; systemd's timestamps are of the new boot
no-journal      scripts: neither journal nor systemd's timestamps were copied
going-on        native: the record and the logs end in the middle

Recorded (record.sh) are scripts (e2e case scripts-mode), native (golden), native-failed (containerd-fails), native-rebooted (reboot) and
native-retries (imds-trouble).
"""

import json
import re
import shutil
from pathlib import Path

CASES = Path(__file__).resolve().parent / "cases"
BEHIND = 2 * 3600 + 5


def start(name: str, source: str = "scripts") -> Path:
    target = CASES / name / "input"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(CASES / source / "input", target)
    return target


def entries(target: Path) -> list[dict]:
    return [json.loads(line) for line in (target / "journal.json").read_text().splitlines()]


def write_entries(target: Path, all_entries: list[dict]):
    (target / "journal.json").write_text("".join(json.dumps(e) + "\n" for e in all_entries))


def begin_of(target: Path, unit: str) -> int:
    block = next(b for b in (target / "units.txt").read_text().split("\n\n") if f"Id={unit}\n" in b)
    return int(re.search(r"InactiveExitTimestampMonotonic=(\d+)", block)[1])


def clock_set():
    target = start("clock-set")
    set_at = begin_of(target, "cloud-init.service") + 100_000
    changed = entries(target)
    for entry in changed:
        if int(entry["__MONOTONIC_TIMESTAMP"]) < set_at:
            for key in ("__REALTIME_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP"):
                if key in entry:
                    entry[key] = str(int(entry[key]) - BEHIND * 1_000_000)
    write_entries(target, changed)


def rebooted():
    target = start("rebooted")
    boot = "0123456789abcdef0123456789abcdef"
    again = []
    for entry in entries(target):
        monotonic = int(entry["__MONOTONIC_TIMESTAMP"])
        moved = dict(entry, _BOOT_ID=boot, __MONOTONIC_TIMESTAMP=str(monotonic - 11_000_000_000))
        for key in ("__REALTIME_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP"):
            if key in moved:
                moved[key] = str(int(moved[key]) + 600_000_000)
        moved.pop("_SOURCE_MONOTONIC_TIMESTAMP", None)
        again.append(moved)
    write_entries(target, entries(target) + again)
    (target / "boot_id").write_text("01234567-89ab-cdef-0123-456789abcdef\n")


def no_journal():
    target = start("no-journal")
    for name in ("journal.json", "units.txt", "boot_id"):
        (target / name).unlink()


def going_on():
    target = start("going-on", "native")
    lines = (target / "trace.jsonl").read_text().splitlines()
    until = json.loads(lines[0])["t"] + 300_000_000
    kept = [line for line in lines if json.loads(line)["t"] <= until]
    (target / "trace.jsonl").write_text("\n".join(kept) + "\n")
    (target / "provision.json").unlink()
    log = (target / "aks-node-controller.log").read_text().splitlines()
    (target / "aks-node-controller.log").write_text(log[0] + "\n")
    write_entries(target, [e for e in entries(target) if int(e["__MONOTONIC_TIMESTAMP"]) <= until // 1000])
    shutil.rmtree(target / "events")
    (target / "units.txt").unlink()


if __name__ == "__main__":
    clock_set()
    rebooted()
    no_journal()
    going_on()
