#!/usr/bin/env python3
"""Property tests of the API against its own description: no 5xx, and no answer that the description does not know.

    properties.py [--examples 20] [--seconds 40] [--seed N]

Runs schemathesis, from PyPI, in a virtual environment that it makes in ~/.cache/sunup (the version is pinned below). SUNUP names
the program. The generator cannot make values for `dependentSchemas`, which the schema of AKSNodeConfig uses to refuse a
member that is written in both spellings; so configs are made from the simpler schema below. The unit tests compare the real one
with the loader."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

from cluster import Cluster
from serving import CONFIG, Server, make_ca, make_certificate

VERSION = "4.32.5"
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
    server = Server("--quiet", "--cluster", cluster.url, "--cluster-ca", f"{made.name}/ca.crt", "--cluster-token-file", f"{made.name}/token")
    try:
        description = json.loads(server.ask("GET", "/openapi.json")[1])
        schemas = description["components"]["schemas"]
        schemas["AKSNodeConfig"] = simpler(schemas["AKSNodeConfig"])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "openapi.json")
            file.write_text(json.dumps(description))
            done = subprocess.run([program, "run", str(file), "--url", f"http://127.0.0.1:{server.port}", "--checks", CHECKS, "-H", "Authorization: Bearer all", "--max-examples",
                                   str(options.examples), "--max-time", str(options.seconds), "--seed", str(options.seed), "--phases", "coverage,fuzzing",
                                   "--no-color", "--suppress-health-check=all"], cwd=folder)
    finally:
        code, _ = server.end()
        cluster.close()
        made.cleanup()
    sys.exit(done.returncode or code)


if __name__ == "__main__":
    main()
