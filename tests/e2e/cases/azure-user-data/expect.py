"""cloud-init uses userData if the disc has no custom data. The controller does not notice the difference."""

import xml.etree.ElementTree

import delivered
import triggers


def check(t):
    node = t.node
    disc = xml.etree.ElementTree.fromstring(node.read("/var/lib/waagent/ovf-env.xml"))
    t.check([e.text or "" for e in disc.iter() if e.tag.endswith("}CustomData")] == [""], "there was custom data on the disc")
    t.check(node.target("/var/lib/cloud/instance/user-data.txt").read_bytes() == t.custom_data(), "cloud-init has other data than the metadata service")
    triggers.check_config(t, t.config())
    delivered.check_one_launch(t)
    t.wait_ready()
