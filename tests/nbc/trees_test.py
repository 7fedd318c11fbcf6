#!/usr/bin/env python3
"""A node that gets only the command is the same as the node of its config: two trees are provisioned natively (--root), one
from each, and compared file by file. differences.py lists the allowed differences."""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

import command
import differences
from round_trip_test import SUNUP, as_bash_reads_it, environment_of, recorded_configs

PROGRAM = os.environ["AKS_NODE_CONTROLLER"]

# Times, random keys, and the run's own records.
OF_THE_RUN = ("/var/log/", "/etc/kubernetes/certs/kubeletserver.", "/opt/azure/containers/tls-bootstrap-start-time",
              "/opt/azure/containers/.provision.", "/opt/m")


def make_image(root, version):
    version = version.lstrip("v")
    for path, text in {"/etc/os-release": 'ID=ubuntu\nVERSION_ID="22.04"\n', "/etc/hostname": "node-0\n",
                       "/opt/azure/vhd-install.complete": "", "/opt/azure/components.json": "{}",
                       f"/opt/bin/kubelet-{version}": "kubelet", f"/opt/bin/kubectl-{version}": "kubectl",
                       "/etc/systemd/system/kubelet.service": "[Service]\nExecStart=/opt/bin/kubelet\n",
                       "/etc/systemd/system/localdns.service": "[Service]\nExecStart=/bin/true\n",
                       "/opt/azure/containers/localdns/localdns.sh": "", "/opt/cni/bin/bridge": "bridge",
                       "/opt/cni/bin/10-azure.conflist": "{}"}.items():
        file = root / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def tree(root):
    files = {}
    for path in sorted(root.rglob("*")):
        shown = "/" + str(path.relative_to(root))
        if shown.startswith(OF_THE_RUN):
            continue
        if path.is_symlink():
            files[shown] = (0o777, os.readlink(path))
        elif path.is_file():
            files[shown] = (stat.S_IMODE(path.stat().st_mode), path.read_text(errors="surrogateescape"))
    return files


def same_file(path, left, right):
    if left == right:
        return True
    if left[0] != right[0]:
        return False
    if path == "/etc/default/kubeletconfig.json":
        return differences.json_file(left[1]) == differences.json_file(right[1])
    if path == "/etc/sysctl.d/999-sysctl-aks.conf":
        return differences.sysctl_lines(left[1]) == differences.sysctl_lines(right[1])
    if path == "/etc/containerd/kubenet_template.conf":
        return "".join(left[1].split()) == "".join(right[1].split())
    if path == "/etc/kubernetes/azure.json":
        return differences.azure_json(left[1]) == differences.azure_json(right[1])
    if path == "/opt/azure/containers/localdns/localdns.corefile":
        return differences.corefile_blocks(left[1]) == differences.corefile_blocks(right[1])
    if path == "/etc/localdns/environment":
        return differences.dns_environment(left[1]) == differences.dns_environment(right[1])
    if path == "/etc/containerd/config.toml":
        return differences.same_containerd(right[1], left[1])
    return False


class Trees(unittest.TestCase):
    def provision(self, folder, name, version, metadata, *flags):
        root = folder / name
        root.mkdir()
        make_image(root, version)
        run = subprocess.run([PROGRAM, "provision", *flags, "--mode", "native", "--root", root, "--metadata", metadata],
                             capture_output=True, env={"PATH": "/usr/bin:/bin", "TZ": "UTC"}, stdin=subprocess.DEVNULL)
        result = root / "var/log/azure/aks/provision.json"
        self.assertTrue(result.exists(), run.stderr.decode(errors="replace"))
        return run, tree(root), json.loads(result.read_text())

    def compare(self, name, config, containerd):
        text = command.command_for(SUNUP, config, containerd)
        if text is None:
            return "no command"
        read = as_bash_reads_it(text)
        env = environment_of(config, containerd)
        meant = {key: value.replace("\n", " ") for key, value in command.variables(env, json.loads(config)).items()}
        if read is None or any(read[key] != meant[key] for key in read if key != "PROXY_VARS"):
            return "no shell reads the command as it was meant"
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sunup-nbc-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "config.json").write_bytes(config)
        (folder / "command.sh").write_text(text)
        parsed = json.loads(config)
        size = parsed.get("vm_size", parsed.get("vmSize", ""))
        (folder / "metadata.json").write_text(json.dumps({"compute": {"vmSize": size, "name": "node-0"}, "network": {
            "interface": [{"ipv4": {"ipAddress": [{"privateIpAddress": "10.224.0.4"}]}}]}}))
        version = env["KUBERNETES_VERSION"]
        one = self.provision(folder, "a", version, folder / "metadata.json", "--provision-config", folder / "config.json")
        two = self.provision(folder, "b", version, folder / "metadata.json", "--nbc-cmd", folder / "command.sh")
        shutil.rmtree(folder, ignore_errors=True)
        self.assertEqual(one[0].returncode, two[0].returncode, f"{name}: {one[2].get('Error')} | {two[2].get('Error')}")
        left, right = one[1], two[1]
        self.assertEqual(sorted(left.keys() ^ right.keys()), [], name)
        different = [path for path in left if not same_file(path, left[path], right[path])]
        self.assertEqual(different, [], f"{name}: " + "; ".join(
            f"{path}: {left[path]!r} is {right[path]!r}"[:1500] for path in different))
        return "equal" if one[0].returncode == 0 else "both fail"

    def test_every_recorded_config(self):
        counts = {}
        seen = set()
        for name, config, containerd in recorded_configs():
            if config in seen:  # ../shared/corpus repeats the configs of the tree
                continue
            seen.add(config)
            with self.subTest(name):
                outcome = self.compare(name, config, containerd)
                counts[outcome] = counts.get(outcome, 0) + 1
        print(counts, file=sys.stderr)
        self.assertGreater(counts.get("equal", 0), 80)


if __name__ == "__main__":
    unittest.main()
