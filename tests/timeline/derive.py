#!/usr/bin/env python3
"""Makes the cases that no ordinary boot shows out of the recorded one (cases/scripts): derive.py

clock-set       the wall clock was 2 h 5 s behind until cloud-init's network stage, then set
rebooted        the node was rebooted after the run; systemd's timestamps are of the new boot
no-journal      neither journal nor systemd's timestamps were copied
native          the built-in steps, as their run record tells it, with the boot around them
native-failed   the same, ending at a step that failed three times
going-on        the record and the log end in the middle
"""

import json
import re
import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path

CASES = Path(__file__).resolve().parent / "cases"
SOURCE = CASES / "scripts" / "input"
BEHIND = 2 * 3600 + 5


def start(name: str) -> Path:
    target = CASES / name / "input"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(SOURCE, target)
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


STEPS = [  # name, needs, provides, units, start and length in ms, rank, purpose
    ("config.files", [], ["kubelet.config", "containerd.config"], [], 1, 4, "critical", "writes what kubelet and containerd read"),
    ("certificates", [], ["ca.crt"], [], 2, 3, "critical", "the cluster's CA and the bootstrap kubeconfig"),
    ("imds.metadata", [], ["node.address"], [], 2, 31, "critical", "asks the metadata service for the node's address"),
    ("network.outbound", [], ["outbound.checked"], [], 3, 2240, "completion", "the node reaches the internet"),
    ("containerd.start", ["containerd.config"], ["containerd.running"], ["containerd.service"], 6, 820, "critical", "starts the runtime"),
    ("kubelet.start", ["kubelet.config", "ca.crt", "node.address", "containerd.running"], ["kubelet.started"], ["kubelet.service"], 828, 640,
     "critical", "starts kubelet"),
    ("node.exporter", [], [], [], 1475, 60, "deferred", "metrics; nobody waits for them"),
]


def record(target: Path, failed: bool = False, until: float = 1e9):
    """A run record that fits the recorded boot: the controller's start is where the log has it."""
    log = json.loads((target / "aks-node-controller.log").read_text().splitlines()[0])
    whole, fraction = log["time"].rstrip("Z").split(".")
    wall = int(datetime.fromisoformat(whole).replace(tzinfo=timezone.utc).timestamp()) * 10**9 + int(fraction.ljust(9, "0"))
    some = next(e for e in entries(target) if e.get("_TRANSPORT") == "stdout")
    offset = int(some["__REALTIME_TIMESTAMP"]) - int(some["__MONOTONIC_TIMESTAMP"])
    zero = wall - offset * 1000 + 2_000_000
    boot = (target / "boot_id").read_text().strip()
    lines = [(0, {"sunup": "run record", "v": 1, "boot": boot, "t": zero, "wall": wall + 2_000_000, "version": "0.1.0", "mode": "native", "pid": 301}),
             (0, {"e": "run started", "text": f"{len(STEPS)} steps"})]
    for name, needs, provides, units, *_, rank, purpose in STEPS:
        lines.append((0, {"e": "declared", "step": name, "rank": rank, "purpose": purpose, "needs": needs, "after": [], "provides": provides, "units": units}))
    for name, needs, _, _, begin, length, rank, _ in STEPS:
        if failed and name in ("kubelet.start", "node.exporter"):
            continue
        if needs:
            lines.append((begin - 0.02, {"e": "ready", "step": name, "text": f"waited last for '{needs[-1]}'"}))
        lines.append((begin, {"e": "started", "step": name, "attempt": 1, "text": "not done before"}))
        if name == "imds.metadata":
            lines.append((begin + 9, {"e": "note", "step": name, "text": "answered at once"}))
        if name == "network.outbound":
            for attempt, at in ((1, 510), (2, 1310)):
                lines.append((at, {"e": "retry", "step": name, "attempt": attempt, "text": "again in 750ms",
                                   "error": "GET https://mcr.microsoft.com/v2/: connection refused"}))
                lines.append((at + 750, {"e": "started", "step": name, "attempt": attempt + 1}))
        bad = failed and name == "network.outbound"
        lines.append((begin + length, {"e": "ended", "step": name, "attempt": 1} | (
            {"attempt": 3, "error": "GET https://mcr.microsoft.com/v2/: connection refused", "code": 50} if bad else {})))
    end = max(at for at, _ in lines)
    if failed:
        lines.append((end, {"e": "stopping", "text": "network.outbound", "error": "step network.outbound: GET https://mcr.microsoft.com/v2/: connection refused"}))
        lines.append((end + 1, {"e": "dropped", "step": "kubelet.start", "text": "needs 'containerd.running', and the run was stopped"}))
        lines.append((end + 2, {"e": "run ended", "text": "network.outbound", "code": 50, "wall": wall + 2_000_000 + int((end + 2) * 10**6),
                                "error": "step network.outbound: GET https://mcr.microsoft.com/v2/: connection refused"}))
    else:
        lines.append((1468, {"e": "milestone", "text": "kubelet.started"}))
        lines.append((end + 3, {"e": "barrier"}))
        lines.append((end + 4, {"e": "run ended", "wall": wall + 2_000_000 + int((end + 4) * 10**6)}))
    lines.sort(key=lambda line: line[0])
    text = ""
    for at, line in lines:
        if at <= until:
            text += json.dumps(line if "t" in line else {"t": zero + int(at * 10**6)} | line) + "\n"
    (target / "trace.jsonl").write_text(text)
    shutil.rmtree(target / "events")
    return zero, offset


def move_units(target: Path, unit: str, to_us: int):
    """The same start of a unit, at another time."""
    by = to_us - begin_of(target, unit)
    blocks = (target / "units.txt").read_text().split("\n\n")
    for i, block in enumerate(blocks):
        if f"Id={unit}\n" in block:
            blocks[i] = re.sub(r"(\w+TimestampMonotonic)=([1-9]\d*)", lambda m: f"{m[1]}={int(m[2]) + by}", block)
    (target / "units.txt").write_text("\n\n".join(blocks))
    moved = entries(target)
    for entry in moved:
        if (entry.get("UNIT") or entry.get("_SYSTEMD_UNIT")) == unit:
            for key in entry:
                if key.endswith("TIMESTAMP"):
                    entry[key] = str(int(entry[key]) + by)
            if isinstance(entry.get("MESSAGE"), str):
                entry["MESSAGE"] = re.sub(r"^([IWEF]\d{4} )(\d\d:\d\d:\d\d\.\d{6})", lambda m: m[1] + klog(m[2], by), entry["MESSAGE"])
    moved.sort(key=lambda e: int(e["__MONOTONIC_TIMESTAMP"]))
    write_entries(target, moved)


def klog(text: str, by_us: int) -> str:
    return (datetime.strptime(text, "%H:%M:%S.%f") + timedelta(microseconds=by_us)).strftime("%H:%M:%S.%f")


def native():
    target = start("native")
    zero, _ = record(target)
    # Units that the steps started, moved to where they did.
    move_units(target, "containerd.service", zero // 1000 + 9_000)
    move_units(target, "kubelet.service", zero // 1000 + 833_000)
    log = [json.loads(line) for line in (target / "aks-node-controller.log").read_text().splitlines()]
    (target / "aks-node-controller.log").write_text(json.dumps(log[0]) + "\n")


def native_failed():
    target = start("native-failed")
    record(target, failed=True)
    kept = [e for e in entries(target) if (e.get("UNIT") or e.get("_SYSTEMD_UNIT")) != "kubelet.service"]
    write_entries(target, kept)
    blocks = [b for b in (target / "units.txt").read_text().split("\n\n") if "Id=kubelet.service\n" not in b]
    (target / "units.txt").write_text("\n\n".join(blocks))
    (target / "provision.json").write_text('{"ExitCode":"50","Error":"step network.outbound: GET https://mcr.microsoft.com/v2/: connection refused","Output":""}')


def going_on():
    target = start("going-on")
    record(target, until=700)
    (target / "provision.json").unlink()
    log = (target / "aks-node-controller.log").read_text().splitlines()
    (target / "aks-node-controller.log").write_text(log[0] + "\n")
    last = int(json.loads((target / "trace.jsonl").read_text().splitlines()[-1])["t"]) // 1000
    write_entries(target, [e for e in entries(target) if int(e["__MONOTONIC_TIMESTAMP"]) <= last])
    (target / "units.txt").unlink()


if __name__ == "__main__":
    clock_set()
    rebooted()
    no_journal()
    native()
    native_failed()
    going_on()
