"""No node boots here: each kubelet is asked for its help, with one flag at a time."""

import subprocess
import sys

import k8s
import parts
from case import HERE


def drive(t):
    kubelets = dict.fromkeys(k8s.kubelet(row) for row in parts.ROWS.values())
    done = subprocess.run([sys.executable, "-B", HERE.parent / "contract/kubelet_flags_test.py", "--sunup", t.binaries / "sunup", *kubelets],
                          capture_output=True, text=True, timeout=300)
    t.check(done.returncode == 0, done.stdout + done.stderr)
