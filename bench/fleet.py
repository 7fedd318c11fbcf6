#!/usr/bin/env python3
"""Resolves thousands of node claims in one process: claims per second, memory, and whether the time is linear.

    bench/fleet.py BIN_DIR [--claims 1000,10000,100000] [--mix alike,mixed,different] [--bootstrap scriptless|nodeconfig]

Three mixes of claims, in which each claim has its own name:
  alike       one pool scales up: claims differ in their names and in which of 3 zones they name
  mixed       a busy cluster: 50 sizes x 3 zones x 5 pools; claims of the same kinds are repeated
  different   no two claims are equal in any part in which real ones differ: labels, taints, startup taints, requested
              sizes, zones, capacity types, pools, resource requests, owners

Prints claims, seconds of CPU, claims per second of CPU, and the highest resident memory."""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples" / "fleet"
CLASS_REF = {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}
SERIES = ["D{}s_v5", "D{}ds_v5", "D{}as_v5", "D{}ads_v5", "D{}s_v6", "D{}ps_v5", "E{}s_v5", "E{}ds_v5", "E{}as_v5", "F{}s_v2"]
SIZES = [f"Standard_{series.format(cpus)}" for series in SERIES for cpus in (4, 8, 16, 32, 48)]
POOLS = ["general", "batch", "web", "data", "system"]


def wanted(key, *values):
    return {"key": key, "operator": "In", "values": list(values)}


def pool(name):
    return {
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name},
        "spec": {"template": {
            "metadata": {"labels": {"team": name}},
            "spec": {
                "requirements": [wanted("karpenter.sh/capacity-type", "on-demand", "spot"),
                                 {"key": "karpenter.azure.com/sku-cpu", "operator": "Gt", "values": ["2"]}],
                "taints": [{"key": "dedicated", "value": name, "effect": "NoSchedule"}],
                "nodeClassRef": CLASS_REF,
            }}},
    }


def claim(i, pool_name, sizes, zones, capacity):
    return {
        "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
        "metadata": {"name": f"{pool_name}-{i:05x}", "labels": {"karpenter.sh/nodepool": pool_name, "team": pool_name}},
        "spec": {
            "nodeClassRef": CLASS_REF,
            "requirements": [wanted("node.kubernetes.io/instance-type", *sizes), wanted("karpenter.sh/capacity-type", capacity),
                             wanted("topology.kubernetes.io/zone", *zones)],
            "taints": [{"key": "dedicated", "value": pool_name, "effect": "NoSchedule"}],
        },
    }


def alike(i, _):
    return claim(i, "general", ["Standard_D4s_v5", "Standard_D8s_v5"], [f"eastus-{i % 3 + 1}"], "on-demand")


def mixed(i, dice):
    return claim(i, dice.choice(POOLS), [dice.choice(SIZES)], [f"eastus-{dice.randint(1, 3)}"], "on-demand")


def different(i, dice):
    zones = dice.sample(["eastus-1", "eastus-2", "eastus-3"], dice.randint(1, 3))
    made = claim(i, dice.choice(POOLS), dice.sample(SIZES, dice.randint(1, 8)), zones, dice.choice(["on-demand", "spot"]))
    made["metadata"]["annotations"] = {"example.com/requested-by": f"deployment-{i}"}
    labels = made["metadata"]["labels"]
    labels["example.com/own"] = f"n{i:x}"
    for j in range(dice.randint(0, 4)):
        labels[f"example.com/label-{dice.randint(0, 999)}"] = f"value-{dice.randint(0, 999)}"
    spec = made["spec"]
    spec["requirements"].append(wanted("example.com/shard", f"shard-{i % 977}"))
    for j in range(dice.randint(0, 2)):
        spec["taints"].append({"key": f"example.com/taint-{j}", "value": f"v{dice.randint(0, 999)}", "effect": "NoExecute"})
    if dice.random() < 0.5:
        spec["startupTaints"] = [{"key": "node.cilium.io/agent-not-ready", "value": f"v{i % 7}", "effect": "NoExecute"}]
    spec["resources"] = {"requests": {"cpu": f"{dice.randint(100, 2000)}m", "memory": f"{dice.randint(100, 4000)}Mi",
                                      "pods": str(dice.randint(2, 30))}}
    return made


MIXES = {"alike": alike, "mixed": mixed, "different": different}


def measure(program, mix, claims, bootstrap):
    dice = random.Random(claims)
    with tempfile.TemporaryDirectory() as scratch:
        lines = pathlib.Path(scratch, "claims.jsonl")
        with lines.open("w") as out:
            for i in range(claims):
                out.write(json.dumps(MIXES[mix](i, dice)) + "\n")
        pools = pathlib.Path(scratch, "pools.yaml")
        pools.write_text("".join(f"---\n{json.dumps(pool(name))}\n" for name in POOLS))
        command = [program, "resolve", "--batch", lines, "--nodepool", pools, "--bootstrap", bootstrap,
                   "--settings", EXAMPLES / "settings.yaml", "--nodeclass", EXAMPLES / "nodeclass.yaml"]
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
    arguments.add_argument("--mix", default=",".join(MIXES))
    arguments.add_argument("--bootstrap", choices=["scriptless", "nodeconfig"], default="scriptless")
    options = arguments.parse_args()
    for mix in options.mix.split(","):
        if mix not in MIXES:
            arguments.error(f"--mix knows {', '.join(MIXES)}, not {mix}")
    program = os.path.join(options.bin_dir, "sunup")
    print(f"{'mix':<10} {'claims':>8} {'CPU s':>8} {'claims/s':>10} {'memory MiB':>11}")
    for mix in options.mix.split(","):
        for claims in map(int, options.claims.split(",")):
            seconds, memory = measure(program, mix, claims, options.bootstrap)
            print(f"{mix:<10} {claims:>8} {seconds:>8.2f} {claims / seconds:>10.0f} {memory / 1024:>11.1f}", flush=True)


if __name__ == "__main__":
    main()
