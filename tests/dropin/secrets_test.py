"""No credential of a config appears in a log, an event, a result, an error or an output stream of the program."""
import resource

from harness import *

# One for each field that the contract marks as secret. The first test fails if the contract gets another one.
PLANTED = {
    "http_proxy": ("http_proxy_config", "http://joe:planted-Proxy-1%21@proxy.example:3128/", ["planted-Proxy-1"]),
    "https_proxy": ("http_proxy_config", "https://joe:planted-Proxy-2@proxy.example:3129/", ["planted-Proxy-2"]),
    "realm_password": ("custom_search_domain_config", "planted-'Realm'-\"3\"\\n", ["planted-'Realm'-\"3\"", "planted-'Realm"]),
    "kubelet_client_key": ("kubelet_config", base64.b64encode(b"planted-Kubelet-4-key-of-some-length").decode(), []),
    "service_principal_secret": ("auth_config", "planted-Principal-5 with spaces & <marks>", ["planted-Principal-5"]),
    "tls_bootstrapping_token": ("bootstrapping_config", "planted.6tokentokentoken", []),
    "secure_tls_bootstrapping_custom_client_download_url":
        ("bootstrapping_config", "https://x.example/c?sv=1&sig=planted-Signature-7%3D&se=2", ["planted-Signature-7"]),
    "custom_kube_binary_url":
        ("kube_binary_config", "https://x.example/k?sig=planted-Signature-8", ["planted-Signature-8"]),
    "containerd_package_url":
        ("containerd_config", "https://x.example/d?sig=planted-Signature-9", ["planted-Signature-9"]),
    "runc_package_url": ("runc_config", "https://x.example/r?sig=planted-Signature-10", ["planted-Signature-10"]),
    "custom_env_json_content":
        ("custom_cloud_config", '{"name":"n",\n "clientSecret":"planted-Cloud-11"}', ["planted-Cloud-11"]),
    "private_egress_proxy_address": (None, "http://joe:planted-Egress-12@proxy.example", ["planted-Egress-12"]),
}


def planted_config():
    config = {"version": "v1", "unknown_thing": {"secret": "not ours to know"}}
    for field, (parent, value, _) in PLANTED.items():
        (config if parent is None else config.setdefault(parent, {}))[field] = value
    config["custom_search_domain_config"].update(domain_name="d.example", realm_user="u")
    return config


def needles():  # native_secrets_test.py looks for the same
    out = set()
    for _, value, parts in PLANTED.values():
        if not value.startswith("http"):
            out.add(value)
        out.update(parts)
    encoded = {core for n in out for core in base64_cores(n.encode())}
    out |= {base64.b64encode(n.encode()).decode().rstrip("=") for n in out}
    out |= {spelled for n in out for spelled in (double_quoted(n)[1:-1], escaped(n)[2:-1])}
    out |= {json.dumps(n)[1:-1] for n in out}
    return sorted(out | encoded)


def base64_cores(value):
    """The part of its base64 form that does not depend on the text before and after it."""
    for before in range(3):
        text = base64.b64encode(bytes(before) + value).decode()
        core = text[before + 1 if before else 0:(before + len(value)) * 8 // 6]
        if len(core) >= 12:
            yield core


# The ways to quote a value for a shell.
def single_quoted(value):
    return "'" + value.replace("'", r"'\''") + "'"


def double_quoted(value):
    return '"' + re.sub(r'([\\"$`])', r"\\\1", value) + '"'


def escaped(value):
    return "$'" + re.sub(r"([\\'])", r"\\\1", value).replace("\n", r"\n") + "'"


def with_backslashes(value):
    return re.sub(r"([^\w\n])", r"\\\1", value).replace("\n", r"$'\n'")


# Prints all its variables in every way that a script might.
TALKATIVE = r"""
env; env >&2
tr '\0' ' ' < /proc/$$/cmdline; tr '\0' '\n' < /proc/$PPID/cmdline
set -x; : "$TLS_BOOTSTRAP_TOKEN" "$SERVICE_PRINCIPAL_FILE_CONTENT" "$CUSTOM_SEARCH_REALM_PASSWORD" "$PROXY_VARS"; set +x
env | base64 -w 0; echo; printf '%s' "$SERVICE_PRINCIPAL_FILE_CONTENT" | base64
declare -p; export -p; sh -c 'export -p'; set
for name in $(compgen -e); do printf '%q ' "${!name}"; printf '%s' "${!name}" | base64; printf '%s' "${!name}" | base64 -w 64; done
for before in '' . ..; do { printf '%s' "$before"; env; } | base64; { printf '%s' "$before"; env; } | base64 -w 64; done
printf '%s' "${TLS_BOOTSTRAP_TOKEN:0:8}"; read -t 0.01 x < /dev/null; printf '%s\n' "${TLS_BOOTSTRAP_TOKEN:8}"
"""


class Secrets(NodeTest):
    def setUp(self):
        super().setUp()
        self.config = self.write_config(planted_config())
        self.own = {self.config}

    def assert_clean(self, *runs):
        places = {f"stdout of run {i}": run.stdout for i, run in enumerate(runs)}
        places.update({f"stderr of run {i}": run.stderr for i, run in enumerate(runs)})
        for path in self.dir.rglob("*"):
            if path.is_file() and path not in self.own:
                places[str(path)] = path.read_text(errors="replace")
        for place, text in places.items():
            # Base64 in several lines counts as well; in JSON the line ends are escapes.
            joined = text.replace("\n", "").replace("\\n", "")
            for needle in needles():
                self.assertNotIn(needle, text, f"in {place}")
                self.assertNotIn(needle, joined, f"in the lines of {place}")

    def test_every_secret_field_of_the_contract_is_planted(self):
        marked = set()
        for proto in (SOURCE / "proto/aksnodeconfig").rglob("*.proto"):
            marked |= set(re.findall(r"(\w+) = \d+ \[[^\]]*\(sunup\.secret\) = true", proto.read_text()))
        self.assertEqual(marked, set(PLANTED))

    def test_a_script_that_tells_all_gives_nothing_away(self):
        self.own.add(self.script(TALKATIVE + "exit 5"))
        run = self.provision()
        self.assertEqual(run.returncode, 5)
        self.assertIn("TLS_BOOTSTRAP_TOKEN=[redacted]\n", run.stdout, "the rest passes, and the script did have it")
        self.assertIn('declare -x TLS_BOOTSTRAP_TOKEN="[redacted]"\n', run.stdout)
        self.assertIn("ADMINUSER=azureuser\n", run.stdout)
        self.assertIn("proxy.example:3128", run.stdout, "an address is no secret")
        self.assertIn("[redacted]", self.read_result()["Output"])
        self.assert_clean(run, self.run_program("provision-wait"))

    def test_a_result_of_the_script_with_secrets_in_it_is_not_passed_on(self):
        token = PLANTED["tls_bootstrapping_token"][1]
        self.own.add(self.script(""))
        node_config = self.containers / "aks-node-controller-config.json"
        shutil.copy(self.config, node_config)
        self.own.add(node_config)
        self.leave_result(json.dumps({"ExitCode": "1", "Error": "e", "Output": f"+ token={token}\n"}))
        self.own.add(self.result)
        run = self.run_program("provision-wait")
        self.assertEqual(json.loads(run.stdout)["Output"], "+ token=[redacted]\n")
        self.assert_clean(run)

    def test_a_result_may_spell_a_secret_in_any_way_json_knows(self):
        nbc = self.containers / "aks-node-controller-nbc-cmd.sh"
        nbc.write_text('TLS_BOOTSTRAP_TOKEN="planted/tok\'en+\u00e9"\n')
        self.own.add(nbc)
        for spelled in ("planted/tok'en+\u00e9", "planted\\/tok\\u0027en\\u002B\\u00e9", "\\u0070lanted/tok'en+\\u00E9"):
            self.leave_result('{"ExitCode":"1","Error":"","Output":"token=%s\\n"}' % spelled)
            self.own.add(self.result)
            run = self.run_program("provision-wait")
            self.assertEqual(json.loads(run.stdout)["Output"], "token=[redacted]\n", spelled)
            self.assertNotIn("lanted", run.stderr)

    def test_a_result_may_hold_what_a_shell_quoted(self):
        value = "it's a $planted one"
        nbc = self.containers / "aks-node-controller-nbc-cmd.sh"
        nbc.write_text(f"TLS_BOOTSTRAP_TOKEN={single_quoted(value)}\n")
        for quoted in (single_quoted, double_quoted, escaped, with_backslashes):
            self.leave_result(json.dumps({"ExitCode": "1", "Error": "", "Output": f"+ TOKEN={quoted(value)}\n"}))
            run = self.run_program("provision-wait")
            self.assertIn("[redacted]", json.loads(run.stdout)["Output"], quoted.__name__)
            self.assertNotIn("planted", run.stdout + run.stderr + self.log_text(), quoted.__name__)
            self.assertNotIn("planted", str(self.events()))

    def test_errors_and_dry_runs_give_nothing_away(self):
        self.own.add(self.script(""))
        runs = [self.provision("--dry-run")]
        self.components.write_text("broken")
        runs.append(self.provision())
        broken = self.write_config(json.dumps(planted_config())[:-1] + ', "cse_timeout": "x"}', "broken.json")
        self.own.add(broken)
        self.config = broken
        runs.append(self.provision())
        self.assertEqual([run.returncode for run in runs], [0, 1, 1])
        self.assert_clean(*runs)

    def test_a_ready_made_command_gives_nothing_away(self):
        # The secrets are in the text of the command itself, as assignments, and can only be recognized by them. These are the variables that a config with
        # every secret produces, so that none can be forgotten.
        variables = json.loads(subprocess.run(
            [SUNUP, "render", "env", "--config", self.config, "--format", "json"],
            check=True, capture_output=True, text=True).stdout)
        secret = {k: v for k, v in variables.items() if any(needle in v for needle in needles())}
        self.assertGreaterEqual(len(secret), len(PLANTED) + 1, "each field, and PROXY_VARS again")
        self.assertIn("CUSTOM_SEARCH_REALM_PASSWORD", secret, "it has both kinds of quotes in it")
        for quoted in (single_quoted, double_quoted, escaped, with_backslashes):
            with self.subTest(quoted.__name__):
                nbc = self.dir / f"nbc-{quoted.__name__}.sh"
                nbc.write_text("#!/bin/bash\n# Don't edit this file\n" +
                               "export " + " ".join(f"{k}={quoted(v)}" for k, v in secret.items()) + ";\n" + TALKATIVE +
                               'for name in %s; do printf "%%s: %%s\\n" $name "${!name}"; done\n' % " ".join(secret) +
                               'eval "$PROXY_VARS"; env; exit 3\n')
                self.own.add(nbc)
                run = self.run_program("provision", "--nbc-cmd", nbc)
                self.assertEqual(run.returncode, 3)
                self.assertIn("TLS_BOOTSTRAP_TOKEN: [redacted]\n", run.stdout, "the script did have it")
                self.assertNotIn("planted-'Realm", run.stdout + run.stderr)
                self.assert_clean(run)
                self.assert_clean(self.run_program("provision", "--nbc-cmd", nbc, "--provision-config", self.config))

    def test_an_apostrophe_before_it_does_not_give_the_token_of_a_command_away(self):
        text = ("#!/bin/bash\n# Don't edit this file\nTLS_BOOTSTRAP_TOKEN=abcdef.0123456789abcdef\n"
                'echo "token is $TLS_BOOTSTRAP_TOKEN"\n')
        nbc = self.dir / "nbc.sh"
        nbc.write_text(text)
        run = self.run_program("provision", "--nbc-cmd", nbc)
        self.assertIn("token is [redacted]\n", run.stdout)
        self.assertNotIn("abcdef.0123456789abcdef", run.stderr)
        (self.containers / "aks-node-controller-nbc-cmd.sh").write_text(text)
        self.leave_result(json.dumps({"ExitCode": "1", "Error": "", "Output": "token is abcdef.0123456789abcdef\n"}))
        waited = self.run_program("provision-wait")
        self.assertEqual(json.loads(waited.stdout)["Output"], "token is [redacted]\n")
        self.assertNotIn("abcdef.0123456789abcdef", waited.stderr)


class CoreFile(NodeTest):
    def test_program_that_crashes_leaves_none(self):
        pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
        if pattern.startswith(("|", "/", "@")) or os.geteuid() != 0:
            self.skipTest(f"a core file would not be left here: as user {os.geteuid()}, to {pattern}")
        if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
            self.skipTest("core files are forbidden here for good")
        unlimited = (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2
        here = self.dir / "here"
        here.mkdir()
        child = self.start("provision-wait", cwd=here,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, unlimited))
        self.until_file(lambda: "aks-node-controller started" in self.log.read_text())
        child.send_signal(signal.SIGABRT)
        self.assertEqual(self.finish(child).returncode, -signal.SIGABRT)
        self.assertEqual(os.listdir(here), [])


if __name__ == "__main__":
    main()
