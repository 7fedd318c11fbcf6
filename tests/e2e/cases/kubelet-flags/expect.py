"""No node boots here: the help of kubelet is requested with one flag at a time."""

import subprocess
import sys

import k8s
from case import HERE


def drive(t):
    argv = [sys.executable, "-B", HERE.parent / "contract/kubelet_flags_test.py", "--sunup", t.binaries / "sunup", k8s.kubelet(t.row)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300)
    t.check(done.returncode == 0, done.stdout + done.stderr)
