"""Shared code of the client tests: calls the program, and provides a config whose values try to break every quoting."""

import base64
import json
import os
import subprocess
import tempfile
from pathlib import Path

SUNUP = os.environ["SUNUP"]
SOURCE = Path(os.environ["SUNUP_SOURCE_DIR"])
CONFIG_PATH = "/opt/azure/containers/aks-node-controller-config.json"
FEATURES_PATH = "/opt/azure/containers/enabled_features.sh"

HOOKS = sorted((SOURCE / "examples/hooks").glob("*.json"))
HOOKS_PATH = "/etc/aks-node-controller/steps.d"

NASTY = "'; touch /tmp/owned; ' $(touch /tmp/owned) `id` \"\\\nEOF\nput x <<'EOF'\n--sunup-0\n\r\n🌅 \u2028 %s ${HOME}"
CONFIG = {
    "version": "v1",
    "kubernetes_version": "1.33.1",
    "message_of_the_day": NASTY,
    "auth_config": {"service_principal_secret": NASTY},
    "kubelet_config": {"kubelet_flags": {NASTY: NASTY}},
    "enabled_features": {"NATIVE_PROVISIONING": "true", "B": "$(id) 'q' \"q\" \\ 🌅", "9NO": "x", "BAD": "a\nPATH=/tmp"},
}
FEATURES = "B=$(id) 'q' \"q\" \\ 🌅\nNATIVE_PROVISIONING=true\n"


def run(*argv, text=None):
    return subprocess.run([SUNUP, *argv], input=text, capture_output=True, text=True)


def render(*argv, config=CONFIG) -> bytes:
    """The decoded output of `sunup render custom-data` for a config."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(config, file)
        file.flush()
        done = subprocess.run([SUNUP, "render", "custom-data", "--config", file.name, *argv], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"sunup render custom-data ended with {done.returncode}: {done.stderr.decode()}")
    return base64.b64decode(done.stdout, validate=False)


def meaning(text: str | bytes) -> dict:
    """A config as data."""
    return json.loads(text)
