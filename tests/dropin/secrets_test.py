"""No credential of a config reaches a log, an event, a result, an error or a stream of ours."""
from harness import *

# One for each field that the contract marks as secret. The first test fails when the contract gains another.
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
    out |= {base64.b64encode(n.encode()).decode().rstrip("=") for n in out}
    out |= {json.dumps(n)[1:-1] for n in out}
    return sorted(out)


# Prints all it knows in every way a script might.
TALKATIVE = r"""
env; env >&2
tr '\0' ' ' < /proc/$$/cmdline; tr '\0' '\n' < /proc/$PPID/cmdline
set -x; : "$TLS_BOOTSTRAP_TOKEN" "$SERVICE_PRINCIPAL_FILE_CONTENT" "$CUSTOM_SEARCH_REALM_PASSWORD" "$PROXY_VARS"; set +x
env | base64 -w 0; echo; printf '%s' "$SERVICE_PRINCIPAL_FILE_CONTENT" | base64
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
            for needle in needles():
                self.assertNotIn(needle, text, f"in {place}")

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
        # It has its secrets in its own text: as assignments, which is all there is to know them by. These are the ones
        # that a config with every secret makes, so that no variable can be forgotten.
        variables = json.loads(subprocess.run(
            [SUNUP, "render", "env", "--config", self.config, "--format", "json"],
            check=True, capture_output=True, text=True).stdout)
        secret = {k: v for k, v in variables.items() if any(needle in v for needle in needles())}
        self.assertGreaterEqual(len(secret), len(PLANTED) + 1, "each field, and PROXY_VARS again")
        # A command file knows no escapes inside quotes: what has both kinds in it cannot be in one.
        quotable = {k: v for k, v in secret.items() if not ('"' in v and "'" in v)}
        self.assertLessEqual(set(secret) - set(quotable), {"CUSTOM_SEARCH_REALM_PASSWORD"})
        quotable["CUSTOM_SEARCH_REALM_PASSWORD"] = "planted-Realm-with-one-kind-of-quote"
        nbc = self.dir / "nbc.sh"
        nbc.write_text("export " + " ".join("%s=%s%s%s" % (k, q, v, q) for k, v in quotable.items()
                                            for q in ("'" if '"' in v else '"',)) + ";\n" + TALKATIVE +
                       'for name in %s; do printf "%%s: %%s\\n" $name "${!name}"; done; eval "$PROXY_VARS"; env; exit 3\n'
                       % " ".join(quotable))
        self.own.add(nbc)
        run = self.run_program("provision", "--nbc-cmd", nbc)
        self.assertEqual(run.returncode, 3)
        self.assertIn("TLS_BOOTSTRAP_TOKEN: [redacted]\n", run.stdout, "the script did have it")
        self.assertNotIn("planted-Realm", run.stdout + run.stderr)
        self.assert_clean(run)
        self.assert_clean(self.run_program("provision", "--nbc-cmd", nbc, "--provision-config", self.config))


if __name__ == "__main__":
    main()
