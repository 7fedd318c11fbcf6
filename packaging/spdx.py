"""The bill of materials of the two programs, as an SPDX 2.3 document in JSON.

Nothing in it is typed in: the libraries are the Debian packages whose headers ninja recorded for the objects of a program, and whose
archives are on its link line; dpkg knows their versions.
"""
import hashlib
import json
import re
import subprocess
import time
from pathlib import Path

# Headers that leave no code in a program: the kernel's and the compiler's.
INTERFACES = {"linux-libc-dev", "libclang-common-19-dev"}
# Libraries of the machine that the program runs on, by the package with their headers.
OF_THE_MACHINE = {"libc6-dev": "the shared C library of the machine, version 2.35 or later",
                  "libsystemd-dev": "opened at run time where the machine has it"}

IMAGE = "SPDXRef-sunup-image"


def ninja(build: Path, *args) -> str:
    return subprocess.run(["ninja", "-C", str(build), "-t", *args], capture_output=True, text=True, check=True).stdout


def cached(build: Path, name: str) -> str:
    found = re.search(rf"(?m)^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text())
    return found[1] if found else ""


class Machine:
    """The Debian packages that the build used: this machine's, or those of a sysroot."""

    def __init__(self, sysroot: str):
        self.sysroot = sysroot
        self.database = ["dpkg-query", f"--admindir={sysroot}/var/lib/dpkg"]

    def packages(self, files: set[str]) -> set[str]:
        paths = sorted({str(Path(f).resolve()).removeprefix(self.sysroot) for f in files})
        done = subprocess.run([*self.database, "-S", *paths], capture_output=True, text=True, check=False)
        # The compiler's own headers are this machine's and not the sysroot's.
        unknown = [line for line in done.stderr.splitlines() if "no path found" in line and "/lib/clang/" not in line and "/llvm-" not in line]
        if unknown:
            raise SystemExit("packaging: these files belong to no package:\n" + "\n".join(unknown))
        return {line.split(": ")[0].split(":")[0] for line in done.stdout.splitlines()}

    def describe(self, package: str) -> dict:
        form = "${Version}\n${source:Package}\n${source:Version}\n${Architecture}\n${Homepage}\n"
        shown = subprocess.run([*self.database, "-W", "-f", form, package], capture_output=True, text=True, check=True).stdout
        return dict(zip(("version", "source", "source_version", "arch", "homepage"), shown.split("\n")))


def libraries(build: Path, program: str, machine: Machine) -> set[str]:
    target = f"apps/{program}"
    objects = {line for line in ninja(build, "inputs", target).splitlines() if line.endswith(".o")}
    files, wanted = set(), False
    for line in ninja(build, "deps").splitlines():
        if not line.startswith("    "):
            wanted = line.split(": #deps")[0] in objects
        elif wanted and line.strip().startswith(("/usr/", machine.sysroot + "/usr/")):
            files.add(line.strip())
    link = ninja(build, "commands", target).splitlines()[-1]
    files |= {word for word in link.split() if word.endswith(".a") and word.startswith("/")}
    compiler = [cached(build, "CMAKE_CXX_COMPILER")]
    if machine.sysroot:
        compiler += [f"--sysroot={machine.sysroot}", *re.findall(r"--target=\S+", link)]
    # The code that -static-libstdc++ and -static-libgcc add.
    for archive in "libstdc++.a", "libgcc.a", "libgcc_eh.a":
        files.add(subprocess.run([*compiler, f"-print-file-name={archive}"], capture_output=True, text=True, check=True).stdout.strip())
    return machine.packages(files) - INTERFACES


def identifier(name: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def library(name: str, known: dict, suite: str) -> dict:
    package = {
        "SPDXID": identifier(name), "name": name, "versionInfo": known["version"], "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "sourceInfo": f"built from the Debian source package {known['source']} {known['source_version']}",
        "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:deb/debian/{name.replace('+', '%2B')}@{known['version'].replace('+', '%2B')}?arch={known['arch']}&distro={suite}"}],
    }
    if known["homepage"]:
        package["homepage"] = known["homepage"]
    return package


def document(build: Path, programs: dict[str, Path], version: str, arch: str, epoch: int, image: dict[str, Machine] = {}) -> str:
    """image: the Debian packages in the container image that the document is about, with the machine that they were taken from."""
    machine = Machine(cached(build, "SUNUP_SYSROOT"))
    suite = re.search(r"(?m)^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text())[1]
    packages, relations, seen = [], [], {}
    for program, path in programs.items():
        packages.append({
            "SPDXID": identifier(program), "name": program, "versionInfo": version, "supplier": "Organization: The Sunup authors",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "primaryPackagePurpose": "APPLICATION",
            "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}],
            "licenseConcluded": "MIT", "licenseDeclared": "MIT", "copyrightText": "Copyright (c) 2026 The Sunup authors"})
        relations.append((IMAGE, "CONTAINS", identifier(program), "") if image else ("SPDXRef-DOCUMENT", "DESCRIBES", identifier(program), ""))
        for name in sorted(libraries(build, program, machine)):
            seen[name] = machine.describe(name)
            how = OF_THE_MACHINE.get(name, "")
            relations.append((identifier(program), "DYNAMIC_LINK" if how else "STATIC_LINK", identifier(name), how))
    if image:
        packages.insert(0, {
            "SPDXID": IMAGE, "name": "sunup-image", "versionInfo": version, "supplier": "Organization: The Sunup authors",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "primaryPackagePurpose": "CONTAINER", "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION"})
        relations.insert(0, ("SPDXRef-DOCUMENT", "DESCRIBES", IMAGE, ""))
    for name, source in image.items():
        seen[name] = source.describe(name)
        relations.append((IMAGE, "CONTAINS", identifier(name), ""))
    packages += [library(name, known, suite) for name, known in sorted(seen.items())]
    body = {"packages": packages, "relationships": [
        {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b, **({"comment": how} if how else {})} for a, kind, b, how in relations]}
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    name = f"sunup-{'image-' if image else ''}{version}-{arch}"
    head = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
                             "creators": ["Organization: The Sunup authors", "Tool: sunup-packaging"]}}
    return json.dumps(head | body, indent=1) + "\n"
