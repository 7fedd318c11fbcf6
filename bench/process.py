#!/usr/bin/env python3
"""Whole-process figures: wall time and peak memory of our programs, run again and again.

usage: process.py BIN_DIR [--runs N] [--json]

Each row is the median over N runs (first tenth thrown away), with the spread between the 10th and 90th percentile.
The right-hand columns set it against the original's recording on a machine of the same kind (2 vCPU, files in memory);
a ratio of two machines is only a rough guide, so nothing here passes or fails.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

# The original's medians: milliseconds and peak kB.
ORIGINAL = {"version": (4.35, 10668), "provision --dry-run": (8.65, 12328), "provision-wait, already complete": (12.8, 11266)}

CONFIG = pathlib.Path(__file__).resolve().parent / "config.json"


def run_once(argv, env):
    devnull = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, devnull, fd) for fd in (0, 1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    os.close(devnull)
    return wall * 1000, usage.ru_maxrss, os.waitstatus_to_exitcode(status)


def measure(argv, env, runs):
    samples = [run_once(argv, env) for _ in range(runs + runs // 10)][runs // 10 :]
    codes = {code for _, _, code in samples}
    if codes != {0}:
        sys.exit(f"{' '.join(argv)}: exit codes {sorted(codes)}, want 0")
    walls = sorted(wall for wall, _, _ in samples)
    return {"median_ms": statistics.median(walls), "p10_ms": walls[len(walls) // 10], "p90_ms": walls[len(walls) * 9 // 10],
            "peak_kb": statistics.median(kb for _, kb, _ in samples)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    controller, sunup = (str(args.bin_dir.resolve() / name) for name in ("aks-node-controller", "sunup"))

    scratch = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    with scratch:
        root = pathlib.Path(scratch.name)
        (root / "opt/azure/containers").mkdir(parents=True)
        (root / "opt/azure/components.json").write_text("{}")
        (root / "var/log/azure/aks").mkdir(parents=True)
        (root / "opt/azure/containers/provision.complete").touch()
        (root / "var/log/azure/aks/provision.json").write_text('{"ExitCode":"0","Output":"","Error":""}')
        env = {"PATH": "/nonexistent", "SUNUP_ROOT": str(root)}
        rows = {
            "version": measure([controller, "version"], env, args.runs),
            "provision --dry-run": measure(
                [controller, "provision", "--dry-run", "--mode", "scripts", f"--provision-config={CONFIG}"], env, args.runs),
            "provision-wait, already complete": measure([controller, "provision-wait"], env, args.runs),
            "sunup version": measure([sunup, "version"], env, args.runs),
            "sunup render env": measure([sunup, "render", "env", "--config", str(CONFIG), "--format", "json"], env, args.runs),
        }
    if args.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'':34} {'median':>9} {'p10..p90':>15} {'peak':>9} {'original':>10} {'faster':>7} {'memory':>7}")
    for name, row in rows.items():
        line = f"{name:34} {row['median_ms']:6.2f} ms {row['p10_ms']:5.2f}..{row['p90_ms']:5.2f} ms {row['peak_kb']:6.0f} kB"
        if name in ORIGINAL:
            wall, peak = ORIGINAL[name]
            line += f" {wall:7.2f} ms {wall / row['median_ms']:6.1f}x {row['peak_kb'] / peak:6.2f}x"
        print(line)


main()
