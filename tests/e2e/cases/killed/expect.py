"""One node, provisioned repeatedly. Each time the controller is killed at a random moment, and the reaction of systemd must lead to
a node that is Ready and passes every validator. Between two rounds the node is reset."""

import os
import random
import time

import parts
import pods
from again import COMPLETE, SERVICE, reset
from case import Failure

# The moments do not depend on the row; what depends on it (systemd's restart, containerd's and kubelet's versions) is the same for each kill.
TIMES, TIMES_ON_OTHER_ROWS = 20, 6


def drive(t):
    seed = int(os.environ.get("SUNUP_E2E_SEED", random.randrange(1 << 32)))
    print(f"     killed: seed {seed} (SUNUP_E2E_SEED={seed} plays it again)", flush=True)
    dice = random.Random(seed)
    # The first run is not killed: it shows how long the work takes.
    t.boot()
    t.wait_ready()
    t.node.wait_for_path(COMPLETE, t.case.timeout)
    t.node.wait_booted(t.case.timeout)
    t.validate()
    programs = t.node.executions()
    try:
        _, length = run(t, programs, None)
        t.times["provision"] = length
        times = TIMES if t.row == parts.DEFAULT else TIMES_ON_OTHER_ROWS
        kills = 0
        for _ in range(3 * times):
            hit, over = run(t, programs, dice.uniform(0, length))
            kills += hit
            # A kill that came too late shows how short the work can be: the next times are drawn from that.
            if not hit:
                length = min(length, over)
            if kills == times:
                break
    finally:
        programs.close()
    pods.check(t)
    t.check(kills == times, f"only {kills} of {3 * times} kills came before the work was over")


def run(t, programs, moment: float | None) -> tuple[bool, float]:
    """One provisioning run, killed at this time. Returns whether there was something to kill, and when the work ended."""
    reset(t)
    controller = programs.first("aks-node-controller")
    t.node.run(["systemctl", "start", "--no-block", SERVICE])
    begin = controller.get(timeout=t.case.timeout)
    killed = False
    without = []
    if moment is not None:
        time.sleep(max(0.0, begin + moment - time.monotonic()))
        killed = not t.node.exists(COMPLETE)
        t.node.run(["systemctl", "kill", "--kill-whom=main", "--signal=KILL", SERVICE], check=False)
        # Killed between kubelet's start and the end: kubelet's start may have been requested twice, which must have no effect.
        if killed:
            without.append("kubelet_stayed")
    try:
        t.node.wait_for_path(COMPLETE, t.case.timeout)
        over = t.node.path(COMPLETE).stat().st_mtime - time.time() + time.monotonic() - begin
        t.wait_ready()
        t.validate(without)
    except Exception as e:
        raise Failure(f"killed {moment:.4f} s after its start: {e}" if moment is not None else str(e)) from e
    return killed, over
