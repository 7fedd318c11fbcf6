#!/usr/bin/env python3
"""Resolves of thousands of node claims by one process: how many a second, with how much memory, and is it linear?

    bench/fleet.py BIN_DIR [--claims 1000,10000,100000] [--different]

Prints claims, seconds of CPU, claims a second of CPU, and the highest resident memory. --different makes claims of which
no two are alike, so that nothing can be remembered from one to the next."""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples" / "fleet"


def claim(i, different):
    labels = {"karpenter.sh/nodepool": "general", "team": "web"}
    if different:
        labels["own"] = str(i)
    return {
        "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
        "metadata": {"name": f"general-{i:05x}", "labels": labels},
        "spec": {
            "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"},
            "requirements": [
                {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["Standard_D4s_v5", "Standard_D8s_v5"]},
                {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [f"eastus-{i % 3 + 1}"]},
            ],
            "taints": [{"key": "dedicated", "value": "web", "effect": "NoSchedule"}],
        },
    }


def measure(program, claims, different):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as lines:
        for i in range(claims):
            lines.write(json.dumps(claim(i, different)) + "\n")
        lines.flush()
        command = [program, "resolve", "--batch", lines.name]
        for name in ("settings", "nodepool", "nodeclass"):
            command += [f"--{name}", str(EXAMPLES / f"{name}.yaml")]
        with open(os.devnull, "wb") as nowhere:
            child = subprocess.Popen(command, stdout=nowhere)
            _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"bench/fleet.py: sunup resolve --batch ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("bin_dir")
    arguments.add_argument("--claims", default="1000,10000,100000")
    arguments.add_argument("--different", action="store_true")
    options = arguments.parse_args()
    program = os.path.join(options.bin_dir, "sunup")
    print(f"{'claims':>8} {'CPU s':>8} {'claims/s':>10} {'memory MiB':>11}")
    for claims in map(int, options.claims.split(",")):
        seconds, memory = measure(program, claims, options.different)
        print(f"{claims:>8} {seconds:>8.2f} {claims / seconds:>10.0f} {memory / 1024:>11.1f}", flush=True)


if __name__ == "__main__":
    main()
