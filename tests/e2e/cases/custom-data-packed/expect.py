"""cloud-init unpacks gzip by itself; the node notices nothing of it."""

import json
import random
import string

import triggers


def drive(t):
    noise = "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=60 << 10))
    config = {"version": "v1", "custom_ca_certs": [noise]}
    triggers.prepare(t.node)
    custom_data = triggers.render(t, config)
    t.check(custom_data.startswith(b"\x1f\x8b") and len(custom_data) <= 65535, f"not packed to fit: {len(custom_data)} bytes")
    triggers.seed(t.node, custom_data)
    t.node.boot()
    t.node.wait_for_path(triggers.STARTS, 60)
    triggers.let_go(t.node)
    t.check(json.loads(t.node.read(triggers.CONFIG)) == config, "the config changed on its way")
    t.check(len(triggers.starts(t.node)) == 1, f"starts: {triggers.starts(t.node)}")
