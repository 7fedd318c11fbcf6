"""Boothook, boot and path unit all fire while a provision is under way: it stays the only one."""

import email
import json
import stat

import triggers

CONFIG = {"version": "v1", "message_of_the_day": "'$(reboot)'\nEOF\n🌅",
          "enabled_features": {"NATIVE_PROVISIONING": "true", "A": "$(reboot)", "9": "x"}}


def drive(t):
    node = t.node
    triggers.prepare(node)
    custom_data = triggers.render(t, CONFIG)
    triggers.seed(node, custom_data)
    node.boot()
    node.wait_for_path(triggers.STARTS, 60)
    triggers.cloud_init_done(node)
    # Late triggers: the config is touched, somebody asks for a start.
    node.run(["touch", triggers.CONFIG])
    node.run(["systemctl", "start", "--no-block", "aks-node-controller.service"])
    triggers.let_go(node)
    t.times["booted"] = node.wait_booted()
    check_files(t)
    check_one_start(t)
    check_schema(t, custom_data)
    node.shut_down()
    node.boot()
    t.times["second boot"] = node.wait_booted()
    t.check(len(triggers.starts(node)) == 1, f"the second boot started the controller again: {triggers.starts(node)}")
    t.check(not triggers.failed_units(node), f"failed units on the second boot: {triggers.failed_units(node)}")


def check_files(t):
    for path in (triggers.CONFIG, triggers.FEATURES):
        mode = stat.S_IMODE(t.node.path(path).stat().st_mode)
        t.check(mode == 0o600, f"{path} has mode {mode:o}")
    config = json.loads(t.node.read(triggers.CONFIG))
    t.check(config == CONFIG, f"the config changed on its way: {config}")
    t.check(t.node.read(triggers.FEATURES) == "A=$(reboot)\nNATIVE_PROVISIONING=true\n", t.node.read(triggers.FEATURES))


def check_one_start(t):
    starts = triggers.starts(t.node)
    t.check(len(starts) == 1, f"started {len(starts)} times: {starts}")
    t.check("launch cloud-init=activating basic=inactive" in starts[0], f"not started in the init stage: {starts[0]}")
    t.check(t.node.unit_state("aks-node-controller.service") == "active", "the service does not stay active")
    # cloud-init writes the script right before it runs it.
    hook = next(t.node.path(f"/var/lib/cloud/instances/{t.node.name}/boothooks").iterdir())
    t.times["boothook to controller"] = float(starts[0].split()[0]) - hook.stat().st_mtime
    t.check(not triggers.failed_units(t.node), f"failed units: {triggers.failed_units(t.node)}")


def check_schema(t, custom_data):
    whole = t.node.run(["cloud-init", "schema", "--system"], check=False)
    t.check(whole.returncode == 0, f"cloud-init finds fault with what it was given: {whole.stdout}{whole.stderr}")
    parts = email.message_from_bytes(custom_data).get_payload()
    documents = [parts[1].get_payload().encode(), triggers.render(t, CONFIG, "--form", "write-files")]
    for document in documents:
        t.node.write("/tmp/cloud-config", document)
        done = t.node.run(["cloud-init", "schema", "--config-file", "/tmp/cloud-config"], check=False)
        t.check(done.returncode == 0 and "Valid" in done.stdout, f"cloud-init's schema refuses it: {done.stdout}{done.stderr}")
