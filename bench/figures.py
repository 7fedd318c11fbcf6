"""The figures of bench/node.py as tables and as JSON: medians with their spread, and the ratios that are quoted."""

import statistics

from contestants import RACES

# The description of each contestant, for readers of the figures.
MEANING = {
    "floor": "every file is in place; systemctl daemon-reload, then start --no-block containerd kubelet",
    "sunup": "aks-node-controller provision --mode native",
    "deb": "the same on an image that has kubelet as a .deb",
    "script": "the same work as sunup's, one command after the other, in bash",
    "write-files": "cloud-init with the Azure data source, the config in its write_files",
    "boothook": "cloud-init with the Azure data source, the config in our boothook",
    "bootstrap": "aks-node-controller bootstrap, cloud-init switched off",
    "limit": "every file is in place and both units are enabled; no provisioner, no cloud-init, no report",
    "cold-limit": "every file is in place; systemctl start --no-block containerd kubelet",
    "cold-sunup": "aks-node-controller provision --mode native",
    "cold-other": "the same, of --other-bin",
    "late-floor": "every file is in place; kubelet asks for the API server by itself",
    "late-sunup": "aks-node-controller provision --mode native",
    "fails": "aks-node-controller bootstrap, and containerd cannot start",
}
TITLES = {
    "trigger": "Settled node, from the trigger",
    "power-on": "First boot, from power-on",
    "cold": "Settled node with an empty page cache and a disk that reads 100 MB a second, from the trigger",
    "late": "API server that appears 30 to 31 s after the trigger",
    "fails": "First boot that fails, from power-on",
}
TRIGGER_ROWS = {
    "containerd": ("containerd ready", "s"), "kubelet": ("kubelet started (exec)", "s"), "complete": ("provision.complete", "s"),
    "registered": ("registered", "s"), "ready": ("NodeReady", "s"), "pod": ("first pod running", "s"),
    "programs_exec": ("programs started, to exec", ""), "tasks_exec": ("tasks created, to exec", ""), "cpu_exec": ("CPU, to exec", "s"),
    "bytes_exec": ("bytes written, to exec", "kB"), "bytes_ready": ("bytes written, to NodeReady", "kB"),
    "programs": ("programs started, in all", ""), "cpu": ("CPU, in all", "s"), "bytes": ("bytes written, in all", "kB"),
}
ROWS = {
    "trigger": TRIGGER_ROWS,
    "power-on": {
        "controller": ("controller started", "s"), "kubelet": ("kubelet started (exec)", "s"), "ready": ("NodeReady", "s"),
        "pod": ("first pod running", "s"), "booted": ("boot finished", "s"), "programs_exec": ("programs started, to exec", "")},
    "cold": {**TRIGGER_ROWS, "own_size": ("our program", "kB"), "own_resident": ("our program's files in memory, at exec", "kB"),
             "own_faults": ("our program's reads from disk, to exec", "")},
    "late": {"kubelet": ("kubelet started (exec)", "s"), "ready": ("NodeReady", "s"), "found": ("server found, since it is there", "s"),
             "again": ("kubelet started again (exec)", "s"), "joined": ("registered since then", "s"), "since_server": ("NodeReady since then", "s")},
    "fails": {"complete": ("provision.complete", "s"), "reported": ("NotReady at the wire server", "s"), "delay": ("NotReady since the result", "s")},
}
# The ratios that are quoted: figure, contestant, and the contestant that it is divided by.
RATIOS = (
    ("kubelet", "sunup", "floor"), ("ready", "sunup", "floor"), ("pod", "sunup", "floor"), ("bytes_ready", "sunup", "floor"),
    ("kubelet", "script", "sunup"), ("complete", "script", "sunup"), ("ready", "script", "sunup"), ("cpu_exec", "script", "sunup"),
    ("ready", "bootstrap", "limit"), ("pod", "bootstrap", "limit"), ("ready", "write-files", "bootstrap"), ("ready", "boothook", "bootstrap"),
    ("ready", "cold-sunup", "cold-limit"), ("kubelet", "cold-other", "cold-sunup"), ("ready", "cold-other", "cold-sunup"),
    ("bytes_ready", "cold-sunup", "cold-limit"), ("since_server", "late-sunup", "late-floor"))


def summary(results: dict[str, list[dict]], versions: dict[str, str]) -> dict:
    """The figures for programs. Seconds, kB and counts, from the trigger or from power-on."""
    figures = {}
    for race, names in RACES.items():
        for name in names:
            for key, (_, unit) in ROWS[race].items():
                if values := sorted(r[key] for r in results.get(name, []) if key in r):
                    figures.setdefault(name, {})[key] = {
                        "median": statistics.median(values), "least": values[0], "most": values[-1], "unit": unit or "count", "boots": len(values)}
    ratios = [{"figure": key, "of": above, "to": below, "ratio": figures[above][key]["median"] / figures[below][key]["median"]}
              for key, above, below in RATIOS if key in figures.get(above, {}) and key in figures.get(below, {})]
    writers = {name: found for name, runs in results.items() if (found := median_writers(runs))}
    return {"versions": versions, "figures": figures, "writers_kb": writers, "ratios": ratios}


def print_tables(results: dict[str, list[dict]]):
    for race, names in RACES.items():
        if shown := {name: results[name] for name in names if results.get(name)}:
            print(f"\n{TITLES[race]} (median, smallest..largest):")
            for name in shown:
                print(f"  {name:11} {MEANING[name]}")
            print_table(ROWS[race], shown)
            print_writers(shown)
            for ratio in (r for r in summary(shown, {})["ratios"]):
                label = ROWS[race][ratio["figure"]][0]
                print(f"  {ratio['of']} / {ratio['to']}: {label} {ratio['ratio']:.2f}x")


def print_table(rows: dict, results: dict[str, list[dict]]):
    print(f"{'':30}" + "".join(f"{name:>26}" for name in results))
    for key, (label, unit) in rows.items():
        cells = []
        for runs in results.values():
            values = sorted(r[key] for r in runs if key in r)
            digits = 3 if unit == "s" else 0
            cells.append(f"{statistics.median(values):.{digits}f} ({values[0]:.{digits}f}..{values[-1]:.{digits}f})" if values else "-")
        print(f"{label + (f' [{unit}]' if unit else ''):30}" + "".join(f"{c:>26}" for c in cells))


def median_writers(runs: list[dict]) -> dict[str, float]:
    """kB that the processes of a name wrote before NodeReady, the largest first."""
    names = {name for r in runs for name in r.get("writers", {})}
    medians = {name: statistics.median(r["writers"].get(name, 0) for r in runs) for name in names}
    return {name: kilobytes for name, kilobytes in sorted(medians.items(), key=lambda entry: -entry[1]) if kilobytes > 0}


def print_writers(results: dict[str, list[dict]]):
    for name, runs in results.items():
        if writers := median_writers(runs):
            print(f"  written to NodeReady [kB], {name}: " + ", ".join(f"{program} {kilobytes:.0f}" for program, kilobytes in writers.items()))
