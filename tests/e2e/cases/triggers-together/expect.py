"""systemd merges the starts that are requested from it; a start that bypasses it (a boothook's fallback, a person) is stopped by the lock."""

import json

import triggers

LAUNCH = f"{triggers.DIRECTORY}/aks-node-controller launch >>/run/$1.out 2>&1; echo $? >/run/$1.code.new; mv /run/$1.code.new /run/$1.code"
WAITING = "another provision is running, waiting for its result"


def drive(t):
    node = t.node
    triggers.prepare(t)
    # Fires together with the boothook: the config exists, and a second controller starts without a request to systemd.
    for name in "one", "two":
        node.write(f"/etc/systemd/system/{name}.path", f"[Unit]\nDefaultDependencies=no\n[Path]\nPathChanged={triggers.CONFIG}\n")
        node.write(f"/etc/systemd/system/{name}.service", f"[Unit]\nDefaultDependencies=no\n[Service]\nExecStart=/bin/sh -c '{LAUNCH}' sh {name}\n".replace("$", "$$"))
        wants = node.path("/etc/systemd/system/sysinit.target.wants")
        wants.mkdir(exist_ok=True)
        (wants / f"{name}.path").symlink_to(f"/etc/systemd/system/{name}.path")
    triggers.seed(node, triggers.render(t, json.loads(t.config_text())))
    node.boot()
    node.wait_for_path(triggers.STARTS, 60)
    triggers.cloud_init_done(node)
    node.run(["touch", triggers.CONFIG])
    node.run(["systemctl", "start", "--no-block", "aks-node-controller.service"])
    node.run(["sh", "-c", f"tail -n +1 -F {triggers.LOG} 2>/dev/null | grep -m2 '{WAITING}'"])
    triggers.let_go(node)
    for name in "one", "two":
        node.wait_for_path(f"/run/{name}.code", 30)
        t.check(node.read(f"/run/{name}.code") == "0\n", f"launch {name} ended with {node.read(f'/run/{name}.code')}{node.read(f'/run/{name}.out')}")
    code, output = t.provision_wait()
    t.check(code == 0, f"provision-wait ended with {code}: {output}")
    t.check(len(triggers.launches(node)) == 3, f"launches: {triggers.launches(node)}")
    t.check(len(triggers.starts(node)) == 1, f"provisions: {triggers.starts(node)}")
    t.times["boothook to controller"] = min(triggers.launches(node)) - triggers.boothook_time(node)
    t.wait_ready()
