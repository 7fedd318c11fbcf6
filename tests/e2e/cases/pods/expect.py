"""Images are pulled through the mirror that hosts.toml names. A file in the container shows whether it is the same image."""

import time

import pods


def drive(t):
    """The controller is killed while it works on a node that has a pod: one of its deferred steps takes long (files/)."""
    t.boot()
    t.wait_ready()
    t.pod = pods.of(t, f"lasting-{t.node.name}")
    t.pod.create()
    t.first = t.pod.wait_running()
    t.times["pod"] = time.monotonic() - t.node.booted_at
    t.pod.run("sh", "-c", "echo first >/mark")
    # Fails if there is no such process.
    t.node.run(["systemctl", "kill", "--kill-whom=main", "--signal=KILL", "aks-node-controller.service"])
    same(t, "a kill of the controller")


def check(t):
    pods.look_inside(t, t.pod, t.first)
    pulls = [r for r in t.cp.registry.requests if r.startswith("mirror.azurecr.io/v2/") and "ns=mcr.microsoft.com" in r]
    for image in ("pause", "busybox"):
        t.check(any(image in r for r in pulls), f"{image} was not pulled through the mirror: {t.cp.registry.requests[-20:]}")
    for unit in ("kubelet", "containerd"):
        t.node.run(["systemctl", "restart", f"{unit}.service"])
        same(t, f"a restart of {unit}")
    t.node.shut_down()
    after_boot(t, t.first, "reboot")
    # Neither containerd nor the CNI library syncs its files. Of the CNI library's cached results only the names may be left.
    t.node.run(["sync"])
    t.node.power_cut()
    results = list(t.node.path("/var/lib/cni/results").iterdir())
    t.check(bool(results), "the CNI library has kept no results: there is nothing that the power cut could have emptied")
    for file in results:
        file.write_bytes(b"")
    after_boot(t, t.pod.wait_running(restarts=1), "power cut")
    t.pod.delete()


def same(t, what):
    """exec works again, in the same container as before."""
    mark = t.pod.run("cat", "/mark").strip()
    now = t.pod.wait_running()
    t.check(mark == "first" and now == t.first, f"after {what} the pod is {now}, not {t.first}")


def after_boot(t, before, what):
    t.boot()
    now = t.pod.wait_running(restarts=before.restarts + 1)
    t.times[f"pod after {what}"] = time.monotonic() - t.node.booted_at
    t.check(now.container != before.container, f"after a {what} the container is still {now.container}")
    pods.look_inside(t, t.pod, now)
    t.node.wait_booted(t.case.timeout)
