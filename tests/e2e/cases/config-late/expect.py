"""The path unit: boot finds no config and goes on; when one comes, the service starts."""

import triggers

CONFIG = {"version": "v1"}


def drive(t):
    node = t.node
    triggers.prepare(node)
    triggers.seed(node, b"#cloud-config\n{}\n")
    node.boot()
    node.wait_booted()
    t.check(triggers.starts(node) == [], "started without a config")
    t.check(node.unit_state("aks-node-controller.path") == "active", "nobody waits for a config")
    node.write(triggers.CONFIG + ".new", '{"version": "v1"}', 0o600)
    node.path(triggers.CONFIG + ".new").rename(node.path(triggers.CONFIG))
    node.wait_for_path(triggers.STARTS, 30)
    triggers.let_go(node)
    t.check(len(triggers.starts(node)) == 1, f"starts: {triggers.starts(node)}")
    node.shut_down()

    # The same by cloud-init's write_files, as custom data for old images has it: a new instance of the same image.
    for path in ("/opt/azure/containers/provision.complete", triggers.CONFIG, triggers.STARTS):
        node.path(path).unlink()
    triggers.seed(node, triggers.render(t, CONFIG, "--form", "write-files"))
    node.write("/var/lib/cloud/seed/nocloud/meta-data", f"instance-id: {node.name}-2\nlocal-hostname: {node.name}\n")
    node.boot()
    node.wait_for_path(triggers.STARTS, 60)
    triggers.cloud_init_done(node)
    triggers.let_go(node)
    t.check(len(triggers.starts(node)) == 1, f"starts: {triggers.starts(node)}")
