#!/usr/bin/env python3
"""Installs the library, builds examples/render-node against it and nothing else, and runs it.

usage: example_test.py BUILD_DIR SOURCE_DIR COMPILER
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*argv, **more):
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, **more)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{argv} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def main():
    build, source, compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        prefix, tree = work / "prefix", work / "build"
        steps = (
            ["cmake", "--install", build, "--component", "library", "--prefix", prefix],
            ["cmake", "-S", f"{source}/examples/render-node", "-B", tree, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}"],
            ["cmake", "--build", tree],
        )
        for step in steps:
            done = run(*step)
            assert done.returncode == 0, f"{step}:\n{done.stdout}{done.stderr}"
        config = work / "node.json"
        config.write_text('{"version": "v1"}')
        model = run(tree / "render-node", config)
        assert json.loads(model.stdout)["osProfile"]["customData"], model.stderr
        files = run(tree / "render-node", "--files", f"{source}/examples/node/config.json")
        assert files.returncode == 0 and "/etc/containerd/config.toml" in files.stdout, files.stdout + files.stderr
        status = run(tree / "render-node", "--status", input='{"ExitCode":"50","Output":"","Error":""}')
        assert status.returncode == 1 and "cannot reach the internet" in status.stdout, status.stdout + status.stderr
        leaked = [h for h in (prefix / "include").rglob("*.h") if '#include "' in h.read_text()]
        assert not leaked, f"public headers include private ones: {leaked}"


if __name__ == "__main__":
    main()
