"""The container image of `sunup serve`, as an OCI image layout in a tar archive. No container engine is needed, and none is used.

The image holds the program, the files of Debian's libc6 that it is linked with, Debian's certificate authorities, and nothing else: no shell
and no package manager. It runs as an ordinary user and writes nothing. Scanners find the Debian packages in /var/lib/dpkg/status.d.
`skopeo copy oci-archive:FILE docker://REGISTRY/sunup:VERSION` publishes it; docs/service-on-kubernetes.md has the details.
"""
import gzip
import hashlib
import io
import json
import re
import subprocess
import tarfile
import time
from pathlib import Path

import spdx

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
EMPTY = "application/vnd.oci.empty.v1+json"
BILL = "application/spdx+json"
REF = "org.opencontainers.image.ref.name"
USER = 65532  # "nonroot" of images without a distribution
AUTHORITIES = "/usr/share/ca-certificates/mozilla"


class Layout:
    """The blobs of an image layout and what its index lists."""

    def __init__(self):
        self.blobs: dict[str, bytes] = {}
        self.listed: list[dict] = []

    def add(self, kind: str, content: bytes) -> dict:
        digest = hashlib.sha256(content).hexdigest()
        self.blobs[digest] = content
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}

    def add_json(self, kind: str, content: dict) -> dict:
        return self.add(kind, encoded(content))

    def tar(self, epoch: int) -> bytes:
        files = {f"blobs/sha256/{digest}": content for digest, content in self.blobs.items()}
        files["oci-layout"] = encoded({"imageLayoutVersion": "1.0.0"})
        files["index.json"] = encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": self.listed})
        return archive({name: (content, 0o644) for name, content in files.items()}, epoch)


def encoded(content: dict) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def archive(files: dict[str, tuple[bytes, int]], epoch: int) -> bytes:
    """A tar of these files (content and mode) with the directories that they need, sorted, all of root's and of one time."""
    directories = {str(parent) for name in files for parent in Path(name).parents} - {"."}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(directories | files.keys()):
            entry = tarfile.TarInfo(name)
            entry.mtime, entry.uname, entry.gname = epoch, "root", "root"
            content, entry.mode = files.get(name, (b"", 0o755))
            entry.type = tarfile.DIRTYPE if name in directories else tarfile.REGTYPE
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def output(*argv) -> str:
    return subprocess.run([str(a) for a in argv], capture_output=True, text=True, check=True).stdout


def needed(file: Path) -> list[str]:
    return re.findall(r"\(NEEDED\).*\[(.+?)\]", output("readelf", "--wide", "--dynamic", file))


def c_library(program: Path, machine: spdx.Machine) -> tuple[dict[str, bytes], str]:
    """The loader and the shared libraries that the program is linked with, by their path on a machine, and where the copyright of libc6 is."""
    owned = output(*machine.database, "-L", "libc6").splitlines()
    loader = re.search(r"interpreter: (\S+?)\]", output("readelf", "--wide", "--program-headers", program))[1]
    found, wanted = {}, [loader, *needed(program)]
    while wanted:
        name = wanted.pop()
        # Libraries name the loader without its directory.
        name = loader if name == Path(loader).name else name
        path = next((p for p in owned if p == name or Path(p).name == name), None)
        if path is None:
            raise SystemExit(f"packaging: {program.name} needs {name}, which is not in Debian's libc6")
        if path not in found:
            file = Path(machine.sysroot + path).resolve()
            found[path] = file.read_bytes()
            wanted += needed(file)
    return found, next(p for p in owned if p.endswith("/copyright"))


def stanza(machine: spdx.Machine, package: str) -> bytes:
    """The data that scanners look for: the package as dpkg's database describes it."""
    form = ("Package: ${Package}\nStatus: install ok installed\nMaintainer: ${Maintainer}\nArchitecture: ${Architecture}\n"
            "Source: ${source:Package} (${source:Version})\nVersion: ${Version}\n")
    return output(*machine.database, "-W", "-f", form, package).encode()


def root(program: Path, license_file: Path, machine: spdx.Machine) -> dict[str, tuple[bytes, int]]:
    """The files of the image, by their path."""
    here = spdx.Machine("")  # certificate authorities are the same on every architecture
    libraries, copyright_file = c_library(program, machine)
    authorities = b"".join(f.read_bytes().rstrip() + b"\n" for f in sorted(Path(AUTHORITIES).glob("*.crt")))
    if not authorities:
        raise SystemExit("packaging: the Debian package ca-certificates is not installed")
    release = Path("/etc/os-release").resolve().read_bytes()
    files = {
        "/usr/bin/sunup": (program.read_bytes(), 0o755),
        **{path: (content, 0o755) for path, content in libraries.items()},
        "/etc/ssl/certs/ca-certificates.crt": (authorities, 0o644),
        "/etc/passwd": (f"root:x:0:0:root:/:/nologin\nnonroot:x:{USER}:{USER}:nonroot:/:/nologin\n".encode(), 0o644),
        "/etc/group": (f"root:x:0:\nnonroot:x:{USER}:\n".encode(), 0o644),
        "/etc/nsswitch.conf": (b"hosts: files dns\n", 0o644),
        "/etc/os-release": (release, 0o644),
        "/usr/share/licenses/sunup/LICENSE": (license_file.read_bytes(), 0o644),
        "/usr/share/doc/libc6/copyright": (Path(machine.sysroot + copyright_file).resolve().read_bytes(), 0o644),
        "/usr/share/doc/ca-certificates/copyright": (Path("/usr/share/doc/ca-certificates/copyright").read_bytes(), 0o644),
        "/var/lib/dpkg/status.d/libc6": (stanza(machine, "libc6"), 0o644),
        "/var/lib/dpkg/status.d/ca-certificates": (stanza(here, "ca-certificates"), 0o644),
    }
    return {path.lstrip("/"): entry for path, entry in files.items()}


def labels(version: str, epoch: int) -> dict[str, str]:
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))
    named = {"title": "sunup", "description": "Custom data and launch templates of AKS nodes, as a service", "version": version, "licenses": "MIT",
             "vendor": "The Sunup authors", "created": created}
    return {f"org.opencontainers.image.{name}": value for name, value in named.items()}


def image(program: Path, license_file: Path, build: Path | None, version: str, arch: str, epoch: int, fast: bool) -> bytes:
    """The image layout for one architecture. With the CMake build directory it also holds the bill of materials, as a referrer."""
    layout, machine = Layout(), spdx.Machine(spdx.cached(build, "SUNUP_SYSROOT") if build else "")
    layer = archive(root(program, license_file, machine), epoch)
    about = labels(version, epoch)
    config = {
        "architecture": arch, "os": "linux", "created": about["org.opencontainers.image.created"],
        "config": {"User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/sunup"], "Cmd": ["serve"], "WorkingDir": "/", "Labels": about},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created": about["org.opencontainers.image.created"], "created_by": "sunup packaging"}]}
    manifest = layout.add_json(MANIFEST, {
        "schemaVersion": 2, "mediaType": MANIFEST, "annotations": about, "config": layout.add_json(CONFIG, config),
        "layers": [layout.add(LAYER, gzip.compress(layer, 1 if fast else 9, mtime=0))]})
    layout.listed.append(manifest | {"platform": {"os": "linux", "architecture": arch}, "annotations": {REF: version}})
    if build:
        bill = spdx.document(build, {"sunup": program}, version, arch, epoch, image={"libc6": machine, "ca-certificates": spdx.Machine("")})
        layout.listed.append(layout.add_json(MANIFEST, {
            "schemaVersion": 2, "mediaType": MANIFEST, "artifactType": BILL, "subject": manifest,
            "config": layout.add(EMPTY, b"{}"), "layers": [layout.add(BILL, bill.encode())]}) | {"artifactType": BILL})
    return layout.tar(epoch)


def read(data: bytes) -> Layout:
    layout = Layout()
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for entry in tar:
            if entry.name.startswith("blobs/sha256/") and entry.isfile():
                layout.blobs[Path(entry.name).name] = tar.extractfile(entry).read()
        layout.listed = json.load(tar.extractfile("index.json"))["manifests"]
    return layout


def joined(archives: list[bytes], epoch: int) -> bytes:
    """One layout with an index that names the images of several architectures."""
    out, images = Layout(), []
    for layout in map(read, archives):
        out.blobs |= layout.blobs
        images += [entry for entry in layout.listed if "platform" in entry]
        out.listed += [entry for entry in layout.listed if "platform" not in entry]
    images.sort(key=lambda entry: entry["platform"]["architecture"])
    version = images[0]["annotations"][REF]
    index = out.add_json(INDEX, {"schemaVersion": 2, "mediaType": INDEX, "annotations": labels(version, epoch),
                                 "manifests": [{k: v for k, v in entry.items() if k != "annotations"} for entry in images]})
    out.listed = [index | {"annotations": {REF: version}}, *sorted(out.listed, key=lambda entry: entry["digest"])]
    return out.tar(epoch)
