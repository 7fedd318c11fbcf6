"""Shared code of the package tests: building packages, and temporary roots to install into."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["SUNUP_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["SUNUP_BUILD_DIR"])
VERSION = os.environ["SUNUP_VERSION"]
ARCH = os.environ["SUNUP_ARCH"]
BEFORE = "0.0.9"
UNITS = ["aks-node-controller.path", "aks-node-controller.service"]
EPOCH = 1000000000
MACHINES = {"amd64": 62, "arm64": 183}  # in the header of a program


def run(*argv, **more):
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(str(a) for a in argv)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def pack(out, *options, build=BUILD, version=VERSION, packaging=SOURCE / "packaging", **environment):
    """The paths of the packages."""
    return run(packaging / "build", build, out, "--fast", "--arch", ARCH, "--version", version, *options,
               env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH), **environment}).split()


def echo_of(arch, directory):
    """This machine's `echo` as both programs, with the header of an architecture."""
    data = bytearray(pathlib.Path("/bin/echo").read_bytes())
    data[18:20] = MACHINES[arch].to_bytes(2, "little")
    for program in "aks-node-controller", "sunup":
        (pathlib.Path(directory) / program).write_bytes(data)


def pack_version_before(out, *options):
    """The packages of an older version: its control files, scripts and units (before/), and programs that print their arguments."""
    with tempfile.TemporaryDirectory() as directory:
        programs, packaging = pathlib.Path(directory) / "programs", pathlib.Path(directory) / "packaging"
        programs.mkdir()
        echo_of(ARCH, programs)
        shutil.copytree(SOURCE / "packaging", packaging)
        shutil.copy(SOURCE / "LICENSE", directory)
        for older in (SOURCE / "tests/packaging/before").iterdir():
            shutil.rmtree(packaging / older.name)
            shutil.copytree(older, packaging / older.name)
        return pack(out, *options, build=programs, version=BEFORE, packaging=packaging)


def tried(arch):
    """The table of tests with the packages of an architecture, by format."""
    return json.loads((SOURCE / "tests/packaging/tried.json").read_text())[arch]


def one(packages, start, end):
    [found] = [p for p in packages if os.path.basename(p).startswith(start) and p.endswith(end)]
    return found


def in_own_mounts():
    """Runs this test again in its own mount namespace."""
    if os.geteuid() != 0:
        return
    if "SUNUP_OWN_MOUNTS" not in os.environ:
        os.environ["SUNUP_OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, "-B", *sys.argv])
    # systemd-sysext mounts in its own namespace, and on a machine with systemd its mounts propagate from there. Therefore all mounts, including /run, are
    # shared among the processes of this test.
    run("mount", "--make-rshared", "/")
    run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run")


@contextlib.contextmanager
def memory():
    """A directory in memory, as required for the writable layer of an overlay if this machine's root is an overlay itself."""
    with tempfile.TemporaryDirectory() as directory:
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", directory)
        try:
            yield pathlib.Path(directory)
        finally:
            run("umount", "--recursive", directory)


@contextlib.contextmanager
def machine_copy():
    """A root with everything that this machine has: its programs, systemd's, dpkg's database. Changes stay in memory."""
    with memory() as layers:
        for name in "upper", "work", "root":
            (layers / name).mkdir()
        run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir=/,upperdir={layers}/upper,workdir={layers}/work", layers / "root")
        yield layers / "root"
