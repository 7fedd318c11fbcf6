"""Karpenter's client decodes custom data once, replaces a template of the token and encodes it again; the node joins with that token."""

import json

import triggers

TEMPLATE = "{{.TokenID}}.{{.TokenSecret}}"


def drive(t):
    config = json.loads(t.config_text())
    token = config["bootstrapping_config"]["tls_bootstrapping_token"]
    sent = {**config, "bootstrapping_config": {**config["bootstrapping_config"], "tls_bootstrapping_token": TEMPLATE}, "message_of_the_day": "'$(reboot)'\nEOF\n🌅"}
    triggers.prepare(t)
    custom_data = triggers.render(t, sent, "--placeholder", TEMPLATE)
    t.check(custom_data.count(TEMPLATE.encode()) == 1, "the template does not stand in the custom data once")
    triggers.seed(t.node, custom_data.replace(TEMPLATE.encode(), token.encode()))
    t.node.boot()
    t.node.wait_for_path(triggers.STARTS, 60)
    triggers.let_go(t.node)
    triggers.check_config(t, {**sent, "bootstrapping_config": config["bootstrapping_config"]})
    mode = t.node.path(triggers.CONFIG).stat().st_mode & 0o777
    t.check(mode == 0o600, f"the config has mode {mode:o}")
    code, output = t.provision_wait()
    t.check(code == 0, f"provision-wait ended with {code}: {output}")
    t.wait_ready()
