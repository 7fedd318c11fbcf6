"""The contents of the packages: files, modes, versions, the bill of materials; and that the same programs give the same bytes."""
import hashlib
import json
import os
import pathlib
import re
import stat
import subprocess
import tarfile
import tempfile
import unittest

from packages import ARCH, BUILD, EPOCH, SOURCE, VERSION, one, pack, run

PROGRAM = "usr/bin/aks-node-controller"
NODE = {
    PROGRAM: "0755",
    "usr/lib/systemd/system/aks-node-bootstrap.service": "0644",
    "usr/lib/systemd/system/aks-node-controller.path": "0644",
    "usr/lib/systemd/system/aks-node-controller.service": "0644",
    "usr/lib/systemd/system/aks-node-report-ready.service": "0644",
    "usr/share/bash-completion/completions/aks-node-controller": "0644",
}
IN_ROOT = {
    **NODE,
    "opt/azure/containers/aks-node-controller": "-> /usr/bin/aks-node-controller",
    "usr/lib/systemd/system-preset/90-aks-node-controller.preset": "0644",
    "usr/share/man/man8/aks-node-controller.8.gz": "0644",
}
CLIENT = {
    "usr/bin/sunup": "0755",
    "usr/share/bash-completion/completions/sunup": "0644",
    "usr/share/man/man1/sunup.1.gz": "0644",
}


def listed(archive: bytes) -> dict[str, str]:
    """Path to mode or link of a tar's files. Checks owner, time and directories."""
    found = {}
    with tempfile.NamedTemporaryFile() as file:
        file.write(archive)
        file.flush()
        with tarfile.open(file.name) as tar:
            for member in tar:
                assert (member.uid, member.gid, int(member.mtime)) == (0, 0, EPOCH), member.name
                if member.isdir():
                    assert member.mode == 0o755, member.name
                else:
                    found[member.name.removeprefix("./")] = f"-> {member.linkname}" if member.issym() else f"{member.mode:04o}"
    return found


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        cls.packages = pack(cls.scratch / "out")

    def package(self, start, end):
        return one(self.packages, start, end)

    def test_deb(self):
        for program, files in ("aks-node-controller", IN_ROOT), ("sunup", CLIENT):
            package = self.package(f"{program}_", ".deb")
            data = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True).stdout
            self.assertEqual(listed(data), files | {f"usr/share/doc/{program}/copyright": "0644"})
            self.assertEqual(run("dpkg-deb", "-f", package, "Version").strip(), VERSION)
            self.assertEqual(run("dpkg-deb", "-f", package, "Architecture").strip(), ARCH)

    def test_rpm(self):
        for program, files in ("aks-node-controller", IN_ROOT), ("sunup", CLIENT):
            package = self.package(f"{program}-{VERSION}-1.", ".rpm")
            found = {}
            query = "[%{FILENAMES} %{FILEMODES:octal} %{FILEUSERNAME} %{FILEGROUPNAME} %{FILEMTIMES} %{FILELINKTOS}\n]"
            for line in run("rpm", "-qp", "--queryformat", query, package).splitlines():
                path, mode, user, group, time, target = line.split(" ")
                self.assertEqual((user, group, time), ("root", "root", str(EPOCH)), path)
                if stat.S_ISDIR(int(mode, 8)):
                    self.assertEqual(stat.S_IMODE(int(mode, 8)), 0o755, path)
                else:
                    found[path.lstrip("/")] = f"-> {target}" if target else mode[-4:]
            self.assertEqual(found, files | {f"usr/share/licenses/{program}/LICENSE": "0644"})
            self.assertEqual(run("rpm", "-qp", "--queryformat", "%{VERSION} %{BUILDTIME} %{BUILDHOST}", package), f"{VERSION} {EPOCH} localhost")
            needs = run("rpm", "-qp", "--requires", package).splitlines()
            self.assertIn("glibc >= 2.35", needs)
            # rpm of Azure Linux 3 (4.18) supports all of these; libraries are not checked.
            self.assertEqual([n for n in needs if not re.match(r"rpmlib\(|/bin/sh$|glibc|systemd$", n)], [])

    def test_scripts_of_the_rpm_enable_the_units_and_start_nothing(self):
        units = "aks-node-controller.service aks-node-controller.path"
        self.assertEqual(run("rpm", "-qp", "--scripts", self.package(f"aks-node-controller-{VERSION}-1.", ".rpm")),
                         "postinstall scriptlet (using /bin/sh):\n"
                         f'if [ "$1" = 1 ]; then\n  systemctl --no-reload enable {units}\nfi\n'
                         "preuninstall scriptlet (using /bin/sh):\n"
                         f'if [ "$1" = 0 ]; then\n  systemctl --no-reload disable {units}\nfi\n')
        self.assertEqual(run("rpm", "-qp", "--scripts", self.package(f"sunup-{VERSION}-1.", ".rpm")), "")

    def test_tar(self):
        for program, files in ("aks-node-controller", IN_ROOT), ("sunup", CLIENT):
            data = pathlib.Path(self.package(f"{program}-{VERSION}-linux-", ".tar.gz")).read_bytes()
            self.assertEqual(listed(data), files | {f"usr/share/licenses/{program}/LICENSE": "0644"})

    def test_sysext_has_nothing_outside_usr(self):
        found = {}
        for line in run("unsquashfs", "-lln", self.package("aks-node-controller-", ".raw")).splitlines():
            match = re.match(r"(\S{10}) 0/0 .* squashfs-root/(\S+)(?: -> (\S+))?$", line)
            if match and match[1][0] != "d":
                found[match[2]] = f"-> {match[3]}" if match[3] else {"-rwxr-xr-x": "0755", "-rw-r--r--": "0644"}[match[1]]
        wants = "usr/lib/systemd/system/multi-user.target.wants/aks-node-controller"
        self.assertEqual(found, NODE | {
            "usr/lib/extension-release.d/extension-release.aks-node-controller": "0644",
            "usr/lib/tmpfiles.d/aks-node-controller.conf": "0644",
            "usr/share/licenses/aks-node-controller/LICENSE": "0644",
            f"{wants}.path": "-> ../aks-node-controller.path", f"{wants}.service": "-> ../aks-node-controller.service"})

    def test_the_same_programs_give_the_same_bytes_in_another_directory(self):
        # Another time zone, umask, user's home and directory; the files of the directory were created in another order.
        again = pack(self.scratch / "another" / "directory", TZ="Asia/Tokyo", HOME="/nonexistent", LC_ALL="C", HOSTNAME="other")
        self.assertEqual([os.path.basename(p) for p in self.packages], [os.path.basename(p) for p in again])
        for first, second in zip(self.packages, again):
            self.assertEqual(pathlib.Path(first).read_bytes(), pathlib.Path(second).read_bytes(), os.path.basename(first))

    def test_prune_removes_packages_of_other_versions_only(self):
        out = self.scratch / "pruned"
        out.mkdir()
        kept = ["aks-node-controller_1.0~rc1_arm64.deb", "aks-node-controller-1.0~rc1-1.aarch64.rpm", "aks-node-controller-1.0~rc1-arm64.raw",
                "aks-node-controller-1.0~rc1-linux-arm64.tar.gz", "sunup-1.0~rc1-arm64.spdx.json", "sunup-1.0~rc1.oci.tar", "sunup-1.0-rc1.tgz", "notes"]
        removed = ["aks-node-controller_1.0_arm64.deb", "aks-node-controller-1.0~rc10-1.aarch64.rpm", "sunup_1.0~rc1.1_amd64.deb", "sunup-1.0.tgz",
                   "sunup-1.0.oci.tar", "sunup-1.0-amd64.oci.tar", "sunup-0.9-linux-arm64.tar.gz", "sunup-1.0-amd64.spdx.json"]
        for name in kept + removed:
            (out / name).write_text("")
        made = pack(out, "--prune", "--only", "deb,chart", version="1.0-rc1")
        self.assertEqual({p.name for p in out.iterdir()}, {*kept, *(os.path.basename(p) for p in made), "SHA256SUMS"})

    def test_programs_do_not_name_the_directory_that_they_were_compiled_in(self):
        home = str(pathlib.Path.home()).encode()
        for program in "aks-node-controller", "sunup":
            data = (BUILD / "apps" / program).read_bytes()
            for directory in str(SOURCE).encode() + b"/", b"/.cache/sunup", *([home + b"/"] if home != b"/" else []):
                self.assertNotIn(directory, data, program)

    def test_checksums(self):
        names = {os.path.basename(p) for p in self.packages}
        lines = [line.split("  ") for line in (self.scratch / "out/SHA256SUMS").read_text().splitlines()]
        self.assertEqual({name for _, name in lines}, names)
        for digest, name in lines:
            self.assertEqual(digest, hashlib.sha256((self.scratch / "out" / name).read_bytes()).hexdigest())

    def test_a_program_for_another_architecture_is_refused(self):
        other = {"amd64": "arm64", "arm64": "amd64"}[ARCH]
        done = subprocess.run([SOURCE / "packaging/build", BUILD, self.scratch / "none", "--arch", other], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"is not a program for {other}", done.stderr)

    def test_a_pre_release_sorts_before_the_release(self):
        older = pack(self.scratch / "rc", "--only", "deb,rpm", version="9.0.0-rc1")
        deb, rpm = one(older, "sunup_", ".deb"), one(older, "sunup-", ".rpm")
        shown = run("dpkg-deb", "-f", deb, "Version").strip()
        run("dpkg", "--compare-versions", shown, "lt", "9.0.0")
        self.assertEqual(run("rpm", "-qp", "--queryformat", "%{VERSION}", rpm), "9.0.0~rc1")


class Bill(unittest.TestCase):
    """The bill of materials, compared with the contents of the programs."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as out:
            [path] = pack(out, "--only", "spdx")
            cls.document = json.loads(pathlib.Path(path).read_text())
        cls.packages = {p["name"]: p for p in cls.document["packages"]}

    def of(self, program, kind):
        names = {p["SPDXID"]: p["name"] for p in self.document["packages"]}
        return {names[r["relatedSpdxElement"]] for r in self.document["relationships"]
                if r["spdxElementId"] == f"SPDXRef-{program}" and r["relationshipType"] == kind}

    def test_form(self):
        self.assertEqual((self.document["spdxVersion"], self.document["dataLicense"], self.document["SPDXID"]),
                         ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertEqual(self.document["creationInfo"]["created"], "2001-09-09T01:46:40Z")
        known = {"SPDXRef-DOCUMENT", *(p["SPDXID"] for p in self.document["packages"])}
        self.assertEqual(len(known), len(self.document["packages"]) + 1)
        for relation in self.document["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, known)
        for package in self.document["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertLessEqual({"name", "downloadLocation", "versionInfo", "filesAnalyzed"}, package.keys())

    def test_programs_are_those_of_the_packages(self):
        for program in "aks-node-controller", "sunup":
            [checksum] = self.packages[program]["checksums"]
            self.assertEqual(checksum["checksumValue"], hashlib.sha256((BUILD / "apps" / program).read_bytes()).hexdigest())
            self.assertEqual(self.packages[program]["versionInfo"], VERSION)

    def test_versions_are_those_that_the_libraries_state_in_the_program(self):
        program = (BUILD / "apps/sunup").read_bytes()
        for library in "libssl-dev", "libzstd-dev", "liblzma-dev", "zlib1g-dev":
            upstream = re.match(r"(?:\d+:)?([0-9.]+[0-9])", self.packages[library]["versionInfo"])[1].encode()
            statement = b" inflate " + upstream + b" Copyright" if library == "zlib1g-dev" else b"\0" + upstream + b"\0"
            self.assertIn(statement, program, library)

    def test_every_archive_on_the_link_line_is_there(self):
        for program in "aks-node-controller", "sunup":
            link = run("ninja", "-C", BUILD, "-t", "commands", f"apps/{program}").splitlines()[-1]
            stems = {re.sub(r"^lib|\.a$", "", os.path.basename(w)) for w in link.split() if w.endswith(".a") and w.startswith("/")}
            self.assertIn("protobuf", stems)
            packages = {"z": "zlib1g-dev", "crypto": "libssl-dev", "expat": "libexpat1-dev"}
            wanted = {packages.get(stem, f"lib{stem}-dev") for stem in stems} | {"libstdc++-12-dev", "libgcc-12-dev"}
            self.assertLessEqual(wanted, self.of(program, "STATIC_LINK"))

    def test_libraries_of_headers_are_with_the_program_that_uses_them(self):
        self.assertIn("libcli11-dev", self.of("sunup", "STATIC_LINK"))
        self.assertNotIn("libcli11-dev", self.of("aks-node-controller", "STATIC_LINK"))
        for program in "aks-node-controller", "sunup":
            self.assertLessEqual({"nlohmann-json3-dev", "libfmt-dev", "libboost1.81-dev"}, self.of(program, "STATIC_LINK"))
            self.assertEqual(self.of(program, "DYNAMIC_LINK"), {"libc6-dev", "libsystemd-dev"})


class Words(unittest.TestCase):
    """The files beside the programs document every command."""

    def setUp(self):
        with tempfile.TemporaryDirectory() as root:
            help_text = subprocess.run([BUILD / "apps/aks-node-controller", "help"], env={"SUNUP_ROOT": root},
                                       capture_output=True, text=True, check=True).stdout
        commands = help_text.split("COMMANDS:")[1].split("OPTIONS:")[0]
        self.commands = re.findall(r"^   ([a-z-]+) ", commands, re.MULTILINE)
        self.assertIn("provision", self.commands)

    def test_completion(self):
        words = (SOURCE / "packaging/completions/aks-node-controller.bash").read_text()
        self.assertEqual([c for c in self.commands if not re.search(rf"[ \"]{c}[ \"]", words)], [])

    def test_manual_page(self):
        page = (SOURCE / "packaging/man/aks-node-controller.8").read_text()
        self.assertEqual([c for c in self.commands if c != "help" and f".B aks-node-controller {c}" not in page], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
