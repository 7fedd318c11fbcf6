"""What it costs: the programs that provisioning starts on the way to kubelet, counted by the kernel."""

import os

import executions

MOST = 5


def drive(t):
    programs = executions.Executions(t.node.root, families=True)
    try:
        kubelet = programs.first("kubelet")
        t.boot()
        kubelet.get(timeout=t.case.timeout)
    finally:
        programs.close()
    before = programs.before("kubelet")
    controllers = [pid for pid, path in before if os.path.basename(path) == "aks-node-controller"]
    # The first is the provision; the others are what kubelet's unit runs before kubelet.
    provision, *others = dict.fromkeys(controllers)
    children = [os.path.basename(path) for pid, path in before if pid != provision and programs.descends(pid, provision)]
    spawned = children + ["aks-node-controller kubelet-prestart" for _ in others]
    print(f"     golden: {len(spawned)} programs started before kubelet: {', '.join(spawned)}", flush=True)
    t.check(len(spawned) <= MOST, f"{len(spawned)} programs were started before kubelet, not at most {MOST}: {spawned}")
    t.check("iptables-save" in " ".join(children) or "xtables" in " ".join(children), f"the count misses what is known to be started: {spawned}")
