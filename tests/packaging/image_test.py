"""The container image: its contents, its start, that it runs without root or a shell, and that its bytes do not depend on where it is built."""
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

import packages
from packages import ARCH, BUILD, EPOCH, SOURCE, VERSION, memory, one, pack, run

sys.path.insert(0, str(SOURCE / "packaging"))
import container  # noqa: E402

LOADER = {"amd64": "lib64/ld-linux-x86-64.so.2", "arm64": "lib/ld-linux-aarch64.so.1"}[ARCH]
LIBRARIES = {"amd64": "lib/x86_64-linux-gnu", "arm64": "lib/aarch64-linux-gnu"}[ARCH]
FILES = {
    "usr/bin/sunup": 0o755, LOADER: 0o755, f"{LIBRARIES}/libc.so.6": 0o755, f"{LIBRARIES}/libm.so.6": 0o755,
    "etc/ssl/certs/ca-certificates.crt": 0o644, "etc/passwd": 0o644, "etc/group": 0o644, "etc/nsswitch.conf": 0o644, "etc/os-release": 0o644,
    "usr/share/licenses/sunup/LICENSE": 0o644, "usr/share/doc/libc6/copyright": 0o644, "usr/share/doc/ca-certificates/copyright": 0o644,
    "var/lib/dpkg/status.d/libc6": 0o644, "var/lib/dpkg/status.d/ca-certificates": 0o644,
}


class Image:
    def __init__(self, file):
        self.layout = container.read(pathlib.Path(file).read_bytes())
        [self.entry] = [e for e in self.layout.listed if "platform" in e]
        self.manifest = self.json(self.entry)
        self.config = self.json(self.manifest["config"])
        [layer] = self.manifest["layers"]
        self.layer = gzip.decompress(self.blob(layer))

    def blob(self, entry: dict) -> bytes:
        content = self.layout.blobs[entry["digest"].removeprefix("sha256:")]
        assert (f"sha256:{hashlib.sha256(content).hexdigest()}", len(content)) == (entry["digest"], entry["size"])
        return content

    def json(self, entry: dict) -> dict:
        return json.loads(self.blob(entry))

    def members(self) -> list[tarfile.TarInfo]:
        with tarfile.open(fileobj=io.BytesIO(self.layer)) as tar:
            return list(tar)


class OfOneArchitecture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        cls.file = one(pack(cls.scratch / "out", "--only", "oci"), "sunup-", ".oci.tar")
        cls.image = Image(cls.file)

    def test_files_and_nothing_else(self):
        members = self.image.members()
        self.assertEqual({m.name: m.mode for m in members if not m.isdir()}, FILES)
        for member in members:
            self.assertEqual((member.uid, member.gid, member.mtime), (0, 0, EPOCH), member.name)
            # No set-user-ID program, no device, no link out of the tree.
            self.assertTrue(member.isdir() or member.isreg(), member.name)
            self.assertEqual(member.mode & ~0o755, 0, member.name)

    def test_the_program_is_that_of_the_packages(self):
        with tarfile.open(fileobj=io.BytesIO(self.image.layer)) as tar:
            self.assertEqual(tar.extractfile("usr/bin/sunup").read(), (BUILD / "apps/sunup").read_bytes())

    def test_authorities_are_those_of_the_package_and_not_of_this_machine(self):
        with tarfile.open(fileobj=io.BytesIO(self.image.layer)) as tar:
            text = tar.extractfile("etc/ssl/certs/ca-certificates.crt").read().decode()
        self.assertEqual(text.count("BEGIN CERTIFICATE"), len(list(pathlib.Path(container.AUTHORITIES).glob("*.crt"))))

    def test_config(self):
        config = self.image.config["config"]
        self.assertEqual((config["User"], config["Entrypoint"], config["Cmd"]), ("65532:65532", ["/usr/bin/sunup"], ["serve"]))
        self.assertEqual((self.image.config["architecture"], self.image.config["os"]), (ARCH, "linux"))
        self.assertEqual(self.image.config["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(self.image.layer).hexdigest()])
        labels = config["Labels"]
        self.assertEqual(labels["org.opencontainers.image.version"], VERSION)
        self.assertEqual(labels["org.opencontainers.image.licenses"], "MIT")
        self.assertEqual(labels["org.opencontainers.image.created"], "2001-09-09T01:46:40Z")
        self.assertEqual(self.image.entry["annotations"], {"org.opencontainers.image.ref.name": VERSION})

    def test_every_blob_is_named_by_somebody_and_every_name_has_a_blob(self):
        named, left = set(), [json.dumps(self.image.layout.listed)]
        while left:
            text = left.pop()
            for digest in self.image.layout.blobs:
                if f'"sha256:{digest}"' in text and digest not in named:
                    named.add(digest)
                    content = self.image.layout.blobs[digest]
                    left.append(content.decode() if content.startswith(b"{") else "")
        self.assertEqual(named, set(self.image.layout.blobs))

    def test_bill_of_materials_names_what_is_in_the_image(self):
        [referrer] = [self.image.json(e) for e in self.image.layout.listed if "platform" not in e]
        self.assertEqual(referrer["subject"]["digest"], self.image.entry["digest"])
        self.assertEqual(referrer["artifactType"], "application/spdx+json")
        document = self.image.json(referrer["layers"][0])
        names = {p["SPDXID"]: p["name"] for p in document["packages"]}
        inside = {names[r["relatedSpdxElement"]] for r in document["relationships"] if r["relationshipType"] == "CONTAINS"}
        self.assertEqual(inside, {"sunup", "libc6", "ca-certificates"})
        versions = {p["name"]: p["versionInfo"] for p in document["packages"]}
        with tarfile.open(fileobj=io.BytesIO(self.image.layer)) as tar:
            for package in "libc6", "ca-certificates":
                self.assertIn(f"\nVersion: {versions[package]}\n", tar.extractfile(f"var/lib/dpkg/status.d/{package}").read().decode())
        # The libraries in the program are those that the packages' own bill of materials lists.
        with tempfile.TemporaryDirectory() as out:
            [path] = pack(out, "--only", "spdx")
            packed = json.loads(pathlib.Path(path).read_text())
        linked = {r["relatedSpdxElement"] for r in packed["relationships"] if r["spdxElementId"] == "SPDXRef-sunup"}
        self.assertEqual({r["relatedSpdxElement"] for r in document["relationships"] if r["spdxElementId"] == "SPDXRef-sunup"}, linked)

    def test_the_same_bytes_in_another_directory(self):
        again = one(pack(self.scratch / "another" / "place", "--only", "oci", TZ="Asia/Tokyo", HOME="/nonexistent", LC_ALL="C"), "sunup-", ".oci.tar")
        self.assertEqual(pathlib.Path(self.file).read_bytes(), pathlib.Path(again).read_bytes())

    @unittest.skipIf(os.geteuid() != 0, "only root may enter another root")
    @unittest.skipIf(os.uname().machine != {"amd64": "x86_64", "arm64": "aarch64"}[ARCH], "the image is for another architecture")
    def test_it_runs_as_an_ordinary_user_in_a_read_only_root(self):
        with memory() as root:
            with tarfile.open(fileobj=io.BytesIO(self.image.layer)) as tar:
                tar.extractall(root, filter="tar")
            run("mount", "-o", "remount,ro", root)
            inside = ["chroot", "--userspec", self.image.config["config"]["User"], root]
            self.assertEqual(run(*inside, "/usr/bin/sunup", "version").strip(), VERSION)
            self.assertIn("--port", run(*inside, "/usr/bin/sunup", "serve", "--help"))
            self.assertNotEqual(subprocess.run([*inside, "/bin/sh", "-c", "true"], capture_output=True).returncode, 0)


class OfSeveralArchitectures(unittest.TestCase):
    def test_one_index_names_both(self):
        with tempfile.TemporaryDirectory() as out:
            ours = pathlib.Path(one(pack(out, "--only", "oci"), "sunup-", ".oci.tar"))
            other = {"amd64": "arm64", "arm64": "amd64"}[ARCH]
            layout = container.read(ours.read_bytes())
            [entry] = [e for e in layout.listed if "platform" in e]
            theirs = container.Layout()
            config = theirs.add_json(container.CONFIG, {"architecture": other})
            listed = theirs.add_json(container.MANIFEST, {"schemaVersion": 2, "mediaType": container.MANIFEST, "config": config, "layers": []})
            theirs.listed = [listed | {"platform": {"os": "linux", "architecture": other}, "annotations": entry["annotations"]}]
            (pathlib.Path(out) / f"sunup-{VERSION}-{other}.oci.tar").write_bytes(theirs.tar(EPOCH))

            made = pack(out, "--only", "oci")
            both = container.read((pathlib.Path(out) / f"sunup-{VERSION}.oci.tar").read_bytes())
            self.assertIn(str(pathlib.Path(out) / f"sunup-{VERSION}.oci.tar"), made)
        index = json.loads(both.blobs[both.listed[0]["digest"].removeprefix("sha256:")])
        self.assertEqual([m["platform"]["architecture"] for m in index["manifests"]], ["amd64", "arm64"])
        self.assertEqual({m["digest"] for m in index["manifests"]}, {entry["digest"], listed["digest"]})
        self.assertLessEqual({m["digest"].removeprefix("sha256:") for m in index["manifests"]}, set(both.blobs))
        # The bill of materials of the packages is included.
        self.assertEqual([e["artifactType"] for e in both.listed[1:]], ["application/spdx+json"])


if __name__ == "__main__":
    packages.in_own_mounts()
    unittest.main(verbosity=2)
