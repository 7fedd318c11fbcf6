#!/usr/bin/env python3
"""Property tests of the API against its own description: no 5xx, and no answer that the description does not know.

    properties.py [--examples 20] [--seconds 40] [--seed N]

Runs schemathesis, from PyPI, in a virtual environment that it makes in ~/.cache/sunup (the version is pinned below). SUNUP names
the program. Every operation of /openapi.json is tested, and the program ends with an error if one was not. Most values that the generator
makes for a text or for Kubernetes objects are refused, so each operation with a body also gets an example that it must accept.

The generator cannot make values for `dependentSchemas`, which the schema of AKSNodeConfig uses to refuse a
member that is written in both spellings; so configs are made from the simpler schema below. The unit tests compare the real one
with the loader."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import re
import tempfile
import venv

from cluster import Cluster
from serving import CONFIG, SOURCE, SUNUP, Server, make_ca, make_certificate

sys.path.append(str(SOURCE / "tests" / "nbc"))
import command  # noqa: E402

VERSION = "4.32.5"
NODE_BOOTSTRAPPING = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Microsoft.ContainerService/managedclusters/{resourceName}/nodeBootstrapping"
# That of examples/fleet/settings.yaml.
CLUSTER = {"subscriptionId": "12345678-1234-1234-1234-123456789012", "resourceGroupName": "demo-rg", "resourceName": "demo"}
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"


def schemathesis():
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"), "sunup", f"schemathesis-{VERSION}")
    program = folder / "bin" / "schemathesis"
    if not program.exists():
        print(f"installing schemathesis {VERSION} into {folder}", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", f"schemathesis=={VERSION}"], check=True)
    return program


def simpler(schema):
    """The members of the example, with values of their own types or of any other."""
    members = {name: {"anyOf": [{"const": value}, {"type": ["string", "integer", "object", "array", "null"]}]} for name, value in json.loads(CONFIG).items()}
    return {"title": schema.get("title", "AKSNodeConfig"), "type": "object", "required": ["version"], "properties": {**members, "version": {"enum": ["v1", "v0", "v9"]}}}


def accepted():
    """A body that each operation accepts: (method, path) -> value."""
    import yaml
    fleet = SOURCE / "examples" / "fleet"
    objects = {name: yaml.safe_load((fleet / f"{name.lower()}.yaml").read_text()) for name in ("settings", "nodePool", "nodeClass")}
    config, text = json.loads(CONFIG), command.command_for(SUNUP, CONFIG.encode())
    galleries = {name: {"GalleryName": name, "ResourceGroup": "rg"} for name in ("AKSUbuntu", "AKSCBLMariner", "AKSAzureLinux", "AKSWindows")}
    images = {"SIGConfig": {"TenantID": "t", "SubscriptionID": "s", "Galleries": galleries}, "Region": "eastus", "Distro": "aks-ubuntu-containerd-24.04-gen2"}
    values = json.loads((SOURCE / "tests/fuzz/seeds/provision_values/ubuntu.json").read_text())
    template = json.loads(subprocess.run([SUNUP, "resolve", *(word for name in objects for word in (f"--{name.lower()}", fleet / f"{name.lower()}.yaml"))],
                                         check=True, capture_output=True).stdout)
    return {
        **{("post", path): config for path in ("/v1/config/check", "/v1/render/env", "/v1/render/custom-data", "/v1/render/vmss", "/v1/render/files", "/getnodebootstrapdata")},
        ("post", "/v1/config/from-nbc"): text, ("post", "/v1/plan"): text, ("post", "/v1/config/diff"): {"left": config, "right": {**config, "kubernetes_version": "1.32.0"}},
        ("post", "/v1/resolve"): objects, ("post", "/v1/resolve/check"): "---\n".join((fleet / f"{name.lower()}.yaml").read_text() for name in objects),
        ("post", "/v1/drift"): {"was": template, "is": template}, ("post", "/v1/nodeclass/hash"): objects["nodeClass"],
        ("post", "/v1/status/parse"): (SOURCE / "examples/node/failed-cse.txt").read_text(), ("post", "/v1/nodes/{name}/result"): {"exitCode": 0, "milestones": {"kubelet ready": 2.5}},
        ("post", "/getlatestsigimageconfig"): images, ("post", "/getdistrosigimageconfig"): images, ("get", NODE_BOOTSTRAPPING): values}


def add_examples(server, description):
    """Puts the bodies into the description, after the server has accepted each of them. Returns the names of all operations."""
    bodies = accepted()
    names = set()
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            names.add(f"{method.upper()} {path}")
            if "requestBody" not in operation:
                continue
            body = bodies.pop((method, path))
            ((kind, media),) = operation["requestBody"]["content"].items()
            media["example"] = body
            where = path.replace("{name}", "0")
            for parameter in operation.get("parameters", []):
                if parameter["name"] in CLUSTER:
                    parameter["example"] = CLUSTER[parameter["name"]]
                    where = where.replace(f"{{{parameter['name']}}}", parameter["example"])
            status, text, _ = server.ask(method.upper(), where, body if kind != "application/json" else json.dumps(body), {"Authorization": "Bearer all"})
            if status not in (200, 202):
                sys.exit(f"{method} {where} refuses its example with {status}: {text}")
    if bodies:
        sys.exit(f"no such operations: {list(bodies)}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = schemathesis()
    made = tempfile.TemporaryDirectory()
    make_ca(made.name)
    make_certificate(made.name, "apiserver", "/CN=apiserver")
    pathlib.Path(made.name, "token").write_text("service-token")
    # A caller with all permissions, including the report of a node's result.
    cluster = Cluster(made.name)
    cluster.users = {"all": ("system:bootstrap:abcdef", [])}
    cluster.allowed = {("system:bootstrap:abcdef", verb, "/") for verb in ("get", "post")}
    cluster.objects = {"/api/v1/nodes/0": {"metadata": {"name": "0", "uid": "u"}}}
    server = Server("--quiet", "--cluster", cluster.url, "--cluster-ca", f"{made.name}/ca.crt", "--cluster-token-file", f"{made.name}/token",
                    "--settings", str(SOURCE / "examples" / "fleet" / "settings.yaml"))
    try:
        description = json.loads(server.ask("GET", "/openapi.json")[1])
        schemas = description["components"]["schemas"]
        schemas["AKSNodeConfig"] = simpler(schemas["AKSNodeConfig"])
        operations = add_examples(server, description)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "openapi.json")
            file.write_text(json.dumps(description))
            done = subprocess.run([program, "run", str(file), "--url", f"http://127.0.0.1:{server.port}", "--checks", CHECKS, "-H", "Authorization: Bearer all", "--max-examples",
                                   str(options.examples), "--max-time", str(options.seconds), "--seed", str(options.seed), "--phases", "examples,coverage,fuzzing",
                                   "--no-color", "--suppress-health-check=all"], cwd=folder, stdout=subprocess.PIPE, text=True)
            print(done.stdout, flush=True)
            tested = [int(count) for count in re.findall(r"Tested: *(\d+)", done.stdout)] or [0]
            if max(tested) != len(operations):
                sys.exit(f"{max(tested)} of {len(operations)} operations were tested")
    finally:
        code, _ = server.end()
        cluster.close()
        made.cleanup()
    sys.exit(done.returncode or code)


if __name__ == "__main__":
    main()
