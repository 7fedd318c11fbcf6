#!/usr/bin/env python3
"""Compares real nodes on their way to NodeReady. ./dev bench node calls it.

Races (default: trigger and power-on):

  trigger   a node has booted and is idle, then the work is triggered; times count from the trigger
              floor, sunup (native provisioning), deb (the image has kubelet as a .deb), script (the same work in bash)
  power-on  a node boots for the first time, as a VM in Azure: firmware, DHCP, wire server and the guest agent (no extension); times
            count from power-on
              write-files, boothook (cloud-init with its Azure data source and the provisioning disc; it reports Ready), bootstrap (without
              cloud-init, the document of the disc is a file; it reports Ready), limit (nothing to provision or to report)
  cold      as trigger, with the page cache dropped just before it and a disk that reads 100 MB per second (Azure's P10):
              cold-limit, cold-sunup; with --other-bin DIR also cold-other: the programs in DIR, such as a build without reading ahead
  late      as trigger, with an API server that appears 30 to 31 s later: late-floor, late-sunup
  fails     the bootstrap of power-on, and containerd cannot start: how long after its result the node reports NotReady

Contestants take turns, so that a change in the load of the machine affects all of them. The figures cover the whole
node: programs started are execve calls; tasks are processes and threads created; CPU is user and system time;
bytes written are pages dirtied on disk files, also by the name of the process. "to exec" is from the trigger until kubelet's execve.
"""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parent
sys.path.insert(0, str(REPO / "tests" / "e2e"))

import figures
import images
import parts
import picture
import run
import sandbox
from contestants import OTHER, RACES, Race
from controlplane import ControlPlane


def arguments():
    p = argparse.ArgumentParser(prog="bench node", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("races", nargs="*", metavar="RACE", help=f"some of: {', '.join(RACES)}")
    p.add_argument("--boots", type=int, default=5, metavar="N", help="boots of each contestant (default: %(default)s)")
    p.add_argument("--only", default="", metavar="A,B", help="these contestants instead of all of the races")
    p.add_argument("--parts", choices=parts.ROWS, default=parts.DEFAULT.name, metavar="ROW", help="what the nodes are made of (default: %(default)s)")
    p.add_argument("--format", choices=("text", "json"), default="text", help="json: medians, spread and ratios, with the versions of all parts")
    p.add_argument("--json", type=Path, metavar="FILE", help="also write every single figure here, and which programs were started")
    p.add_argument("--picture", type=Path, metavar="FILE", help="also write the power-on race as an SVG (README's picture)")
    p.add_argument("--bin", type=Path, default=REPO / "out" / "bin", metavar="DIR", help="where the programs are (default: out/bin)")
    p.add_argument("--other-bin", type=Path, metavar="DIR", help="race cold: programs to compare with those of --bin")
    p.add_argument("--timeout", type=float, default=120, metavar="S", help="seconds a node has to become Ready (default: %(default)s)")
    args = p.parse_args()
    if unknown := [r for r in args.races if r not in RACES]:
        p.error(f"no race '{unknown[0]}'; there are {', '.join(RACES)}")
    known = [name for names in RACES.values() for name in names]
    if unknown := [c for c in args.only.split(",") if args.only and c not in known]:
        p.error(f"no contestant '{unknown[0]}'; there are {', '.join(known)}")
    races = args.races or ["trigger", "power-on"]
    if args.picture and "power-on" not in races:
        p.error("--picture needs the race power-on")
    if args.other_bin and "cold" not in races:
        p.error("--other-bin is for the race cold")
    args.chosen = args.only.split(",") if args.only else [name for race in races for name in RACES[race]]
    if args.other_bin is None:
        args.chosen = [name for name in args.chosen if name != OTHER]
    return args


def main() -> int:
    args = arguments()
    if reason := run.cannot_run():
        return run.give_up(reason, 1)
    if not sandbox.inside():
        run.fill_cache(parts.ROWS[args.parts])
        return sandbox.run_inside([sys.executable, __file__, *sys.argv[1:]], keep=False)
    sandbox.settle_in()
    control_plane = ControlPlane(sandbox.run_dir() / "control-plane")
    control_plane.start()
    race = Race(args, control_plane)
    results: dict[str, list[dict]] = {name: [] for name in args.chosen}
    for turn in range(args.boots):
        for name in args.chosen:
            one = race.one(name, turn)
            results[name].append(one)
            end = "ready" if "ready" in one else "reported"
            print(f"boot {turn + 1}/{args.boots} {name:12} {end} after {one[end]:.2f} s", file=sys.stderr, flush=True)
    control_plane.stop()
    versions = images.versions(race.row) | {"control plane": parts.version(parts.CONTROL_PLANE)}
    if args.format == "json":
        print(json.dumps(figures.summary(results, versions), indent=2))
    else:
        print(f"Debian {race.row.suite}, " + ", ".join(f"{name} {version}" for name, version in versions.items()))
        figures.print_tables(results)
    if args.picture:
        args.picture.write_text(picture.power_on(results, versions))
    if args.json:
        args.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
