#!/usr/bin/env python3
"""Whole-process figures: wall time and peak memory of the programs, over many runs.

usage: process.py BIN_DIR --spawn RUNNER [--runs N] [--renders BENCHMARK] [--json]

Each row is the median over N runs (without the first tenth), with the spread between the 10th and 90th percentile.
The right-hand columns compare it with recordings of the original on a machine of the same kind (2 vCPU, files in memory).
A ratio of two machines is only a rough guide, so nothing here passes or fails. --renders adds the renders per second of one
core, from a benchmark program; this was not recorded for the original, so its row is derived from its dry run and its start.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

# The original's medians: milliseconds and peak kB.
ORIGINAL = {"version": (4.35, 10668), "provision --dry-run": (8.65, 12328), "provision-wait, already complete": (12.8, 11266)}
# An upper limit for load, render and log: renders per second.
ORIGINAL_RENDERS = 1000 / (ORIGINAL["provision --dry-run"][0] - ORIGINAL["version"][0])

CONFIG = pathlib.Path(__file__).resolve().parent / "config.json"


def measure(spawn, argv, env, runs):
    out = subprocess.run([spawn, str(runs + runs // 10), *argv], env=env, check=True, capture_output=True, text=True).stdout
    samples = [tuple(map(float, line.split())) for line in out.splitlines()][runs // 10:]
    codes = {int(code) for _, _, code in samples}
    if codes != {0}:
        sys.exit(f"{' '.join(argv)}: exit codes {sorted(codes)}, want 0")
    walls = sorted(wall / 1000 for wall, _, _ in samples)
    return {"median_ms": statistics.median(walls), "p10_ms": walls[len(walls) // 10], "p90_ms": walls[len(walls) * 9 // 10],
            "peak_kb": statistics.median(kb for _, kb, _ in samples)}


def renders(program):
    """Name to runs per second on one core, as reported by Google Benchmark."""
    out = subprocess.run([program, "--benchmark_format=json", "--benchmark_min_time=0.5", "--benchmark_filter=environment|custom_data"],
                         cwd=CONFIG.parents[1], check=True, capture_output=True, text=True).stdout
    return {b["name"]: b["items_per_second"] for b in json.loads(out)["benchmarks"] if "items_per_second" in b}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--spawn", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--renders", metavar="BENCHMARK", type=pathlib.Path)
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
        commands = {
            "version": [controller, "version"],
            "provision --dry-run": [controller, "provision", "--dry-run", "--mode", "scripts", f"--provision-config={CONFIG}"],
            "provision-wait, already complete": [controller, "provision-wait"],
            "sunup version": [sunup, "version"],
            "sunup render env": [sunup, "render", "env", "--config", str(CONFIG), "--format", "json"],
        }
        rows = {name: measure(args.spawn.resolve(), argv, env, args.runs) for name, argv in commands.items()}
    rates = renders(args.renders.resolve()) if args.renders else {}
    if args.json:
        print(json.dumps({**rows, **{name: {"per_second": rate} for name, rate in rates.items()}}, indent=2))
        return
    print(f"{'':34} {'median':>9} {'p10..p90':>15} {'peak':>9} {'original':>10} {'faster':>7} {'memory':>7}")
    for name, row in rows.items():
        line = f"{name:34} {row['median_ms']:6.2f} ms {row['p10_ms']:5.2f}..{row['p90_ms']:5.2f} ms {row['peak_kb']:6.0f} kB"
        if name in ORIGINAL:
            wall, peak = ORIGINAL[name]
            line += f" {wall:7.2f} ms {wall / row['median_ms']:6.1f}x {row['peak_kb'] / peak:6.2f}x"
        print(line)
    for name, rate in rates.items():
        print(f"{name.replace('_', ' '):34} {rate:9.0f} a second, {1e6 / rate:.1f} us each; {rate / ORIGINAL_RENDERS:.0f}x the original's {ORIGINAL_RENDERS:.0f}")


main()
