"""Runs tests/probe/systemd_probe on a booted node; the probe reports which checks failed."""

import re

PROBE = "/opt/systemd-probe"


def drive(t):
    probe = t.binaries.parent.parent / "build/release/tests/probe/systemd-probe"
    t.check(probe.exists(), f"{probe} does not exist: build it first (ninja -C build/release systemd-probe)")
    t.node.copy_in(probe, PROBE)
    t.boot()
    t.node.wait_booted()
    for verb in ("units", "latency"):
        done = t.node.run([PROBE, verb], timeout=300, check=False)
        t.check(done.returncode == 0, f"systemd-probe {verb} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        if median := re.search(r"median ([0-9.]+) ms", done.stdout):
            t.times["unit_heard_median"] = float(median[1]) / 1000
