"""cloud-init unpacks gzip itself; this has no effect on the node."""

import json
import random
import string

import triggers


def drive(t):
    noise = "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=56 << 10))
    config = {**json.loads(t.config_text()), "custom_ca_certs": [noise]}
    triggers.prepare(t)
    custom_data = triggers.render(t, config)
    t.check(custom_data.startswith(b"\x1f\x8b") and len(custom_data) <= 65535, f"not packed to fit: {len(custom_data)} bytes")
    triggers.seed(t.node, custom_data)
    t.node.boot()
    t.node.wait_for_path(triggers.STARTS, 60)
    triggers.let_go(t.node)
    triggers.check_config(t, config)
    t.check(len(triggers.starts(t.node)) == 1, f"provisions: {triggers.starts(t.node)}")
    code, output = t.provision_wait()
    t.check(code == 0, f"provision-wait ended with {code}: {output}")
    t.times["boothook to controller"] = triggers.launches(t.node)[0] - triggers.boothook_time(t.node)
