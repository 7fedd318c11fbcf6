"""Boothook, boot and path unit all fire during a provisioning run: it stays the only one, and the node becomes Ready."""

import email
import json
import stat

import triggers

ODD = {"message_of_the_day": "'$(reboot)'\nEOF\n🌅", "enabled_features": {"B": "true", "A": "$(reboot)", "9": "x"}}


def drive(t):
    node = t.node
    config = {**json.loads(t.config_text()), **ODD}
    triggers.prepare(t)
    custom_data = triggers.render(t, config)
    triggers.seed(node, custom_data)
    triggers.hold_init_stage(node)
    node.boot()
    node.wait_for_path(triggers.STARTS, 60)
    triggers.cloud_init_done(node)
    # Late triggers: the config is touched, and a start is requested.
    node.run(["touch", triggers.CONFIG])
    node.run(["systemctl", "start", "--no-block", "aks-node-controller.service"])
    triggers.let_go(node)
    t.times["booted"] = node.wait_booted()
    check_files(t, config)
    check_one_start(t)
    code, output = t.provision_wait()
    t.check(code == 0, f"provision-wait ended with {code}: {output}")
    t.wait_ready()
    check_schema(t, custom_data, config)
    node.shut_down()
    node.boot()
    t.times["second boot"] = node.wait_booted()
    t.check(len(triggers.launches(node)) == 1, f"the second boot started the controller again: {triggers.launches(node)}")
    t.check(not triggers.failed_units(node), f"failed units on the second boot: {triggers.failed_units(node)}")


def check_files(t, config):
    for path in (triggers.CONFIG, triggers.FEATURES):
        mode = stat.S_IMODE(t.node.path(path).stat().st_mode)
        t.check(mode == 0o600, f"{path} has mode {mode:o}")
    triggers.check_config(t, config)
    t.check(t.node.read(triggers.FEATURES) == "A=$(reboot)\nB=true\n", t.node.read(triggers.FEATURES))


def check_one_start(t):
    starts = triggers.starts(t.node)
    t.check(len(starts) == 1, f"provisioned {len(starts)} times: {starts}")
    t.check(starts[0] == "cloud-init=activating basic=inactive A=$(reboot)", f"not provisioned in the init stage, or without the features: {starts[0]}")
    t.check(t.node.unit_state("aks-node-controller.service") == "active", "the service does not stay active")
    launches = triggers.launches(t.node)
    t.check(len(launches) == 1, f"launched {len(launches)} times")
    t.times["boothook to controller"] = launches[0] - triggers.boothook_time(t.node)
    t.check(not triggers.failed_units(t.node), f"failed units: {triggers.failed_units(t.node)}")


def check_schema(t, custom_data, config):
    whole = t.node.run(["cloud-init", "schema", "--system"], check=False)
    t.check(whole.returncode == 0, f"cloud-init finds fault with what it was given: {whole.stdout}{whole.stderr}")
    parts = email.message_from_bytes(custom_data).get_payload()
    documents = [parts[1].get_payload().encode(), triggers.render(t, config, "--form", "write-files")]
    for document in documents:
        t.node.write("/tmp/cloud-config", document)
        done = t.node.run(["cloud-init", "schema", "--config-file", "/tmp/cloud-config"], check=False)
        t.check(done.returncode == 0 and "Valid" in done.stdout, f"cloud-init's schema refuses it: {done.stdout}{done.stderr}")
