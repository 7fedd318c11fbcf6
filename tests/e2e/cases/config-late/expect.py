"""The path unit: the boot finds no config and continues; when one appears, the service starts."""

import triggers

CONFIG = {"version": "v1"}


def drive(t):
    node = t.node
    triggers.prepare(t, brings_up=False)
    triggers.seed(node, b"#cloud-config\n{}\n")
    node.boot()
    node.wait_booted()
    t.check(triggers.launches(node) == [], "started without a config")
    t.check(node.unit_state("aks-node-controller.path") == "active", "nobody waits for a config")
    node.write(triggers.CONFIG + ".new", '{"version": "v1"}', 0o600)
    node.path(triggers.CONFIG + ".new").rename(node.path(triggers.CONFIG))
    check_one_provision(t)
    node.shut_down()

    # The same with cloud-init's write_files, as in custom data for old images: a new instance of the same image.
    for path in (triggers.COMPLETE, triggers.CONFIG, triggers.STARTS, "/var/log/azure/aks/provision.json"):
        node.path(path).unlink()
    triggers.seed(node, triggers.render(t, CONFIG, "--form", "write-files"))
    node.write("/var/lib/cloud/seed/nocloud/meta-data", f"instance-id: {node.name}-2\nlocal-hostname: {node.name}\n")
    node.boot()
    check_one_provision(t)


def check_one_provision(t):
    t.node.wait_for_path(triggers.STARTS, 60)
    triggers.cloud_init_done(t.node)
    triggers.let_go(t.node)
    code, output = t.provision_wait()
    t.check(code == 0, f"provision-wait ended with {code}: {output}")
    t.check(len(triggers.starts(t.node)) == 1, f"provisions: {triggers.starts(t.node)}")
