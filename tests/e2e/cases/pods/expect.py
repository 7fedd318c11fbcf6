"""Images come through the mirror that hosts.toml names. The container's ID tells whether it is the same one."""

import time

import pods


def check(t):
    pod = pods.of(t, f"lasting-{t.node.name}")
    pod.create()
    first = pod.wait_running()
    t.times["pod"] = time.monotonic() - t.node.booted_at
    pods.look_inside(t, pod, first)
    pulls = [r for r in t.cp.registry.requests if r.startswith("mirror.azurecr.io/v2/") and "ns=mcr.microsoft.com" in r]
    for image in ("pause", "busybox"):
        t.check(any(image in r for r in pulls), f"{image} was not pulled through the mirror: {t.cp.registry.requests[-20:]}")
    for what, argv in (
            ("a restart of kubelet", ["systemctl", "restart", "kubelet.service"]),
            ("a restart of containerd", ["systemctl", "restart", "containerd.service"]),
            ("a kill of the controller", ["systemctl", "kill", "--signal=KILL", "aks-node-controller.service"])):
        t.node.run(argv, check="controller" not in what)
        same(t, pod, first, what)
    t.node.shut_down()
    after_boot(t, pod, first, "reboot")
    # Neither containerd nor the CNI library syncs what it writes. A pod that has run for a while survives a power cut; one whose
    # cached CNI result was not written yet (a file without content on the next boot) cannot be stopped any more.
    t.node.run(["sync"])
    t.node.power_cut()
    after_boot(t, pod, pod.wait_running(restarts=1), "power cut")
    pod.delete()


def same(t, pod, first, what):
    """exec works again, in the container that was there before."""
    pod.run("cat", "/proc/1/cmdline")
    now = pod.wait_running()
    t.check(now == first, f"after {what} the pod is {now}, not {first}")


def after_boot(t, pod, before, what):
    t.boot()
    now = pod.wait_running(restarts=before.restarts + 1)
    t.times[f"pod after {what}"] = time.monotonic() - t.node.booted_at
    t.check(now.container != before.container, f"after a {what} the container is still {now.container}")
    pods.look_inside(t, pod, now)
    t.node.wait_booted(t.case.timeout)
