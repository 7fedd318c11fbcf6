#!/usr/bin/env python3
"""TLS, authentication, and the results of nodes, with a stand-in for the cluster's API server."""
import json
import os
import pathlib
import selectors
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from cluster import Cluster
from serving import CONFIG, ENV, PATIENCE, SUNUP, Case, make_ca, make_certificate, openssl, raw, read_answer, trusting

TOKEN = "abcdef.0123456789abcdef"
CLAIM = "/apis/karpenter.sh/v1/nodeclaims/general-x7k2p"
NODE = "/api/v1/nodes/aks-general-x7k2p"
FAILURE = {"node": "aks-general-x7k2p", "exitCode": 52, "name": "ERR_K8S_API_SERVER_DNS_LOOKUP_FAIL", "step": "network.api-server",
           "cause": "no address for nobody.example", "hint": "Check the DNS servers of the network", "retryMayHelp": True, "ignored": [],
           "timeline": "kubelet never started, ended +30.65s", "text": "provisioning failed: exit code 52\ncause: no address for nobody.example"}


class WithFiles(Case):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        for name in ("ca", "other"):
            make_ca(cls.made.name, name)
        make_certificate(cls.made.name, "server", "/CN=sunup")
        make_certificate(cls.made.name, "apiserver", "/CN=apiserver")
        make_certificate(cls.made.name, "admin", "/O=ops/O=more/CN=anna")
        make_certificate(cls.made.name, "stranger", "/CN=anna", ca="other")
        make_certificate(cls.made.name, "second", "/CN=sunup", ca="other")
        pathlib.Path(cls.made.name, "token").write_text("service-token\n")

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def file(self, name):
        return str(pathlib.Path(self.made.name, name))

    def tls(self):
        return ["--tls-certificate", self.file("server.crt"), "--tls-key", self.file("server.key")]


class Exposure(WithFiles):
    def refused(self, *flags):
        done = subprocess.run([SUNUP, "serve", "--port", "0", *flags], capture_output=True, text=True, env=ENV, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_other_addresses_need_tls_and_authentication_or_the_flag(self):
        self.assertIn("needs TLS and authentication", self.refused("--address", "0.0.0.0"))
        self.assertIn("--insecure", self.refused("--address", "::"))
        self.assertIn("needs TLS and authentication", self.refused("--address", "0.0.0.0", *self.tls()))
        self.assertEqual(self.serve("--address", "0.0.0.0", "--insecure").ask("GET", "/healthz")[0], 200)
        server = self.serve("--address", "0.0.0.0", *self.tls(), "--client-ca", self.file("ca.crt"))
        self.assertEqual(server.ask("GET", "/healthz", tls=trusting(self.made.name))[0], 200)

    def test_wrong_files_and_addresses_are_named(self):
        self.assertIn("not an IPv4 or IPv6 address", self.refused("--address", "localhost"))
        self.assertIn("--in-cluster", self.refused("--in-cluster"))

    def test_tls_files_that_cannot_be_used_are_named_with_the_reason(self):
        folder = pathlib.Path(self.made.name)
        openssl(folder, "x509", "-in", "server.crt", "-outform", "DER", "-out", "der.crt")
        openssl(folder, "pkey", "-in", "server.key", "-aes256", "-passout", "pass:secret", "-out", "locked.key")
        (folder / "index").write_text("")
        (folder / "ca.conf").write_text("[ca]\ndefault_ca=c\n[c]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
        openssl(folder, "ca", "-batch", "-config", "ca.conf", "-create_serial", "-startdate", "20200101000000Z", "-enddate", "20200102000000Z", "-cert", "ca.crt",
                "-keyfile", "ca.key", "-in", "server.csr", "-notext", "-out", "old.crt")
        (folder / "torn.crt").write_text((folder / "server.crt").read_text().replace("M", "?", 3))
        (folder / "chain.crt").write_text((folder / "ca.crt").read_text() + (folder / "server.crt").read_text())
        (folder / "empty").write_text("")
        crt, key, ca = "--tls-certificate", "--tls-key", "--client-ca"
        for option, name, why, hint in (
                (crt, "nowhere.crt", "No such file or directory", "a PEM file"), (crt, ".", "Is a directory", "a PEM file"), (crt, "empty", "is empty", "a PEM file"),
                (crt, "server.key", "is a private key, not a certificate", "--tls-key"), (crt, "der.crt", "is not a certificate in PEM form", "openssl x509 -inform DER"),
                (crt, "torn.crt", "has a certificate that cannot be read", "damaged"), (crt, "old.crt", "expired at 2020-01-02 00:00:00 UTC", "renew it"),
                (key, "nowhere.key", "No such file or directory", "a PEM file"), (key, "server.crt", "is a certificate, not a private key", "--tls-certificate"),
                (key, "locked.key", "is protected by a passphrase", "openssl pkey"), (key, "token", "is not a private key in PEM form", "-inform DER"),
                (key, "admin.key", "does not belong to the first certificate in", "comes first"), (crt, "chain.crt", "does not belong to the first certificate in", "comes first"),
                (ca, "nowhere.crt", "No such file or directory", "a PEM file"), (ca, "token", "is not a certificate in PEM form", "PEM"), (ca, "old.crt", "expired at 2020", "renew it")):
            with self.subTest(option=option, file=name):
                given = {crt: "server.crt", key: "server.key", ca: "ca.crt", option: name}
                told = self.refused(*(word for flag, file in given.items() for word in (flag, self.file(file))))
                self.assertRegex(told, "^sunup serve: --(tls-certificate|tls-key|client-ca): ")
                for text in (why, hint, self.file(name)):
                    self.assertIn(text, told)
                self.assertNotIn("PRIVATE KEY", told)

    def test_the_cluster_needs_a_ca(self):
        for flags in ([], ["--address", "0.0.0.0", *self.tls()], ["--insecure"], ["--cluster-ca", ""]):
            self.assertIn("--cluster-ca", self.refused("--cluster", "https://127.0.0.1:1", *flags))

    def test_an_address_for_results_that_a_node_could_not_use_is_refused(self):
        for url, why in (("http://sunup.example", "not an https URL"), ("https://user:password@sunup.example", "contains credentials"), ("sunup.example", "--results-url"),
                         ("https://sunup.example/?a=b", "has a query"), ("", "--results-url")):
            with self.subTest(url=url):
                self.assertIn(why, self.refused("--results-url", url))
        good = ["--results-url", "https://sunup.example"]
        for file, why in (("/nowhere.crt", "/nowhere.crt"), (self.file("token"), "not a certificate"), ("/dev/null", "is empty"), ("", "--results-ca")):
            with self.subTest(file=file):
                self.assertIn(why, self.refused(*good, "--results-ca", file))
        self.assertIn("--results-url", self.refused("--results-ca", self.file("ca.crt")))
        self.assertEqual(self.serve(*good, "--results-ca", self.file("ca.crt")).ask("GET", "/healthz")[0], 200)

    def test_ipv6(self):
        server = self.serve("--address", "::1")
        self.assertTrue(server.listening[0].startswith("[::1]:"))
        with socket.create_connection(("::1", server.port), timeout=PATIENCE) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
            self.assertTrue(connection.makefile("rb").read().endswith(b"ok\n"))

    def test_other_processes_of_its_user_cannot_read_its_memory(self):
        # A process that may not be dumped belongs to root in /proc. Root itself may always read, so the server is that of another user.
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            server = self.serve(**user)
        except PermissionError:
            self.skipTest("the program is in a directory that other users cannot enter")
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        self.assertEqual(os.stat(f"/proc/{server.process.pid}/environ").st_uid, 0)

    def test_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sunup.sock")
            for _ in range(2):  # the second one finds what the first, which was killed, has left
                server = self.serve("--address", "", "--socket", path)
                self.assertEqual(os.stat(path).st_mode & 0o777, 0o660)
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(path)
                    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
                    self.assertTrue(connection.makefile("rb").read().endswith(b"ok\n"))
                server.kill()
            server = self.serve("--address", "", "--socket", path)
            self.assertEqual(server.end()[0], 0)
            self.assertFalse(os.path.exists(path))


class Handshakes(WithFiles):
    def test_a_handshake_that_does_not_go_on_is_ended(self):
        server = self.serve("--request-seconds", "3600", *self.tls())
        with server.connect() as connection:
            connection.sendall(b"\x16")
            self.assertEqual(connection.recv(1), b"")


class Certificates(WithFiles):
    def test_clients_with_a_certificate_of_the_ca_are_let_in(self):
        server = self.serve(*self.tls(), "--client-ca", self.file("ca.crt"))
        self.assertEqual(server.ask("POST", "/v1/render/env", CONFIG, tls=trusting(self.made.name, certificate="admin"))[0], 200)
        status, text, answer = server.ask("POST", "/v1/render/env", CONFIG, tls=trusting(self.made.name))
        self.assertEqual((status, answer.getheader("WWW-Authenticate")), (401, "Bearer"))
        self.assertNotIn("KUBE", text)
        self.assertEqual(server.ask("GET", "/healthz", tls=trusting(self.made.name))[0], 200)
        with self.assertRaises((ssl.SSLError, OSError)):
            server.ask("POST", "/v1/render/env", CONFIG, tls=trusting(self.made.name, certificate="stranger"))
        log = server.end()[1]
        self.assertEqual([line["user"] for line in log if line.get("status") == 200 and line["route"] == "/v1/render/env"], ["anna"])

    def test_a_large_answer_and_a_large_request_pass_tls(self):
        server = self.serve(*self.tls())
        body = json.dumps({"version": "v1", "custom_ca_certs": ["QUJD" * 1000] * 500})
        self.assertEqual(server.ask("POST", "/v1/render/env", body, tls=trusting(self.made.name))[0], 200)

    def test_files_that_change_are_used_for_new_connections(self):
        with tempfile.TemporaryDirectory() as folder:
            # As a Secret in a pod: links to a folder that is replaced at once.
            for name in ("server", "second"):
                os.mkdir(os.path.join(folder, name))
                for end in ("crt", "key"):
                    shutil.copy(self.file(f"{name}.{end}"), os.path.join(folder, name, f"tls.{end}"))
            os.symlink("server", os.path.join(folder, "..data"))
            for end in ("crt", "key"):
                os.symlink(f"..data/tls.{end}", os.path.join(folder, f"tls.{end}"))
            server = self.serve("--tls-certificate", os.path.join(folder, "tls.crt"), "--tls-key", os.path.join(folder, "tls.key"))
            self.assertEqual(server.ask("GET", "/healthz", tls=trusting(self.made.name))[0], 200)
            os.symlink("second", os.path.join(folder, "..new"))
            os.rename(os.path.join(folder, "..new"), os.path.join(folder, "..data"))
            while True:  # until the server has seen it; the test's own limit ends it
                try:
                    self.assertEqual(server.ask("GET", "/healthz", tls=trusting(self.made.name, ca="other"))[0], 200)
                    break
                except ssl.SSLCertVerificationError:
                    pass
            # A file that cannot be used changes nothing.
            os.unlink(os.path.join(folder, "tls.key"))
            shutil.copy(self.file("admin.key"), os.path.join(folder, "tls.key"))
            for _ in range(20):
                self.assertEqual(server.ask("GET", "/healthz", tls=trusting(self.made.name, ca="other"))[0], 200)
            told = [line for line in server.end()[1] if "error" in line]
            self.assertIn("tls.key does not belong to the first certificate", told[-1]["error"])
            self.assertIn("comes first", told[-1]["hint"])


class Tokens(WithFiles):
    def setUp(self):
        self.cluster = Cluster(self.made.name)
        self.addCleanup(self.cluster.close)
        self.cluster.users = {"good": ("anna", ["ops"]), "guest": ("gast", []), TOKEN: ("system:bootstrap:abcdef", ["system:bootstrappers"]),
                              "node": ("system:node:aks-general-x7k2p", ["system:nodes"])}
        self.cluster.allowed = {("ops", "post", "/v1/"), ("ops", "get", "/"), ("system:bootstrappers", "post", "/v1/nodes/"), ("system:nodes", "post", "/v1/nodes/")}
        self.cluster.objects = {CLAIM: {"metadata": {"name": "general-x7k2p", "uid": "u-1"}}}
        self.server = self.serve(*self.tls(), "--cluster", self.cluster.url, "--cluster-ca", self.file("ca.crt"), "--cluster-token-file", self.file("token"))

    def ask(self, method, path, body=None, token=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        status, text, answer = self.server.ask(method, path, body, headers, tls=trusting(self.made.name))
        return status, text, answer

    def report(self, body, token=TOKEN, node="aks-general-x7k2p"):
        return self.ask("POST", f"/v1/nodes/{node}/result", json.dumps(body), token)[0]

    def test_the_cluster_says_who_may(self):
        self.assertEqual(self.ask("POST", "/v1/render/env", CONFIG, "good")[0], 200)
        self.assertEqual(self.ask("POST", "/v1/render/env", CONFIG, "guest")[0], 403)
        self.assertEqual(self.ask("POST", "/v1/render/env", CONFIG, "unknown")[0], 401)
        self.assertEqual(self.ask("POST", "/v1/render/env", CONFIG)[0], 401)
        self.assertEqual(self.ask("GET", "/metrics")[0], 401)
        self.assertEqual(self.ask("GET", "/healthz")[0], 200)
        self.assertEqual(self.ask("HEAD", "/v1/exit-codes", token="good")[0], 200)
        metrics = self.ask("GET", "/metrics", token="good")[1]
        self.assertIn('sunup_auth_reviews_total{kind="token",result="denied"} 1\n', metrics)
        log = json.dumps(self.server.end()[1])
        self.assertIn('"anna"', log)
        for secret in ("unknown", "guest", "service-token"):
            self.assertNotIn(secret, log + metrics)

    def test_the_cluster_judges_all_that_it_knows_about_a_caller(self):
        self.cluster.users["azure"] = ("anna@example.com", ["ops"], {"uid": "u-9", "extra": {"oid": ["0a1b"], "scopes": ["a", "b"]}})
        self.assertEqual(self.ask("POST", "/v1/render/env", CONFIG, "azure")[0], 200)
        self.assertEqual({name: self.cluster.judged[-1].get(name) for name in ("user", "groups", "uid", "extra")},
                         {"user": "anna@example.com", "groups": ["ops"], "uid": "u-9", "extra": {"oid": ["0a1b"], "scopes": ["a", "b"]}})

    def test_a_request_that_waits_for_the_cluster_too_long_is_told_so(self):
        server = self.serve("--cluster", self.cluster.url, "--cluster-ca", self.file("ca.crt"), "--cluster-token-file", self.file("token"), "--request-seconds", "1")
        self.cluster.held = lambda method, path, body: path.endswith("/tokenreviews")
        # More than the threads that ask the cluster.
        held = [server.connect() for _ in range(10)]
        for i, connection in enumerate(held):
            raw(connection, f"GET /metrics HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer junk{i}\r\n\r\n")
        for connection in held:
            status, fields, _ = read_answer(connection)
            self.assertEqual((status, fields["retry-after"]), (503, "1"))
            connection.close()

    def test_invented_tokens_delay_no_caller_that_the_cluster_knows(self):
        for path in ("/v1/exit-codes", "/v1/render/cse"):
            self.cluster.allowed.add(("ops", "get", path))
        # Without TLS, which would take most of the time.
        server = self.serve("--cluster", self.cluster.url, "--cluster-ca", self.file("ca.crt"), "--cluster-token-file", self.file("token"))

        def ask(method, path, token, body=None):
            return server.ask(method, path, body, {"Authorization": f"Bearer {token}"})[0]

        self.assertEqual(ask("GET", "/v1/exit-codes", "good"), 200)
        self.assertEqual(ask("POST", "/v1/nodes/aks-general-x7k2p/result", TOKEN, json.dumps(FAILURE)), 202)
        # The cluster does not answer about invented tokens, and there are more of them than may wait.
        self.cluster.held = lambda method, path, body: "junk" in json.dumps(body)
        refused = selectors.DefaultSelector()
        for i in range(1100):
            connection = server.connect()
            self.addCleanup(connection.close)
            path = "GET /v1/exit-codes" if i % 2 else "POST /v1/nodes/aks-general-x7k2p/result"
            raw(connection, f"{path} HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\nAuthorization: Bearer junk{i}\r\n\r\n")
            refused.register(connection, selectors.EVENT_READ)
        self.assertEqual(read_answer(refused.select(PATIENCE)[0][0].fileobj)[0], 503)  # no place is left
        # Both are known; what they ask for now has to be judged by the cluster.
        self.assertEqual(ask("GET", "/v1/render/cse", "good"), 200)
        self.assertEqual(ask("POST", "/v1/nodes/aks-other/result", TOKEN, '{"exitCode": 1}'), 404)
        self.cluster.release.set()

    def test_an_answer_is_kept_for_some_seconds(self):
        for _ in range(5):
            self.assertEqual(self.ask("POST", "/v1/render/env", CONFIG, "good")[0], 200)
        self.assertLessEqual(self.cluster.asked[("POST", "tokenreviews")], 2)

    def test_a_cluster_that_does_not_answer_lets_nobody_in(self):
        self.cluster.broken = True
        status, _, answer = self.ask("POST", "/v1/render/env", CONFIG, "good")
        self.assertEqual((status, answer.getheader("Retry-After")), (503, "1"))
        self.assertEqual(self.ask("GET", "/readyz")[0], 200)

    def counted(self):
        """The results in the metrics."""
        return [line for line in self.ask("GET", "/metrics", token="good")[1].splitlines() if line.startswith("sunup_node_results_total{")]

    def test_a_failure_becomes_an_event_and_an_annotation_once(self):
        for _ in range(2):
            self.assertEqual(self.report(FAILURE), 202)
        annotation = json.loads(self.cluster.objects[CLAIM]["metadata"]["annotations"]["sunup.dev/result"])
        self.assertEqual({name: annotation[name] for name in ("exitCode", "name", "class", "step", "cause", "retryMayHelp")},
                         {"exitCode": 52, "name": "ERR_K8S_API_SERVER_DNS_LOOKUP_FAIL", "class": "network", "step": "network.api-server",
                          "cause": "no address for nobody.example", "retryMayHelp": True})
        self.assertEqual(len(self.cluster.events), 1)
        event = next(iter(self.cluster.events.values()))
        self.assertEqual((event["type"], event["reason"], event["involvedObject"]["uid"]), ("Warning", "NodeProvisioningFailed", "u-1"))
        self.assertIn("nobody.example", event["message"])
        self.assertEqual(self.counted(), ['sunup_node_results_total{exit_code="52",step="network.api-server",class="network"} 1'])

    def test_objects_of_the_same_name_have_events_of_their_own(self):
        claim = "/apis/karpenter.sh/v1/nodeclaims/vm-1"
        self.cluster.objects = {claim: {"metadata": {"name": "vm-1", "uid": "c-1"}}, "/api/v1/nodes/vm-1": {"metadata": {"name": "vm-1", "uid": "n-1"}}}
        report = {**FAILURE, "node": "vm-1"}
        self.assertEqual(self.report(report, node="vm-1"), 202)
        self.cluster.objects[claim] = {"metadata": {"name": "vm-1", "uid": "c-2"}}  # made again
        self.assertEqual(self.report(report, node="vm-1"), 202)
        self.assertEqual(sorted((event["involvedObject"]["kind"], event["involvedObject"]["uid"]) for event in self.cluster.events.values()),
                         [("Node", "n-1"), ("NodeClaim", "c-1"), ("NodeClaim", "c-2")])

    def test_a_report_that_is_written_in_parts_counts_once(self):
        self.cluster.objects[NODE] = {"metadata": {"name": "aks-general-x7k2p", "uid": "u-2"}}
        self.cluster.refuses = lambda method, path: path.endswith("/events")
        self.assertEqual(self.report(FAILURE), 503)
        self.assertEqual(self.counted(), [])
        self.cluster.refuses = lambda method, path: (method, path) == ("PATCH", NODE)
        self.assertEqual(self.report(FAILURE), 503)
        self.assertEqual((len(self.cluster.events), len(self.counted())), (1, 1))
        self.cluster.refuses = lambda method, path: False
        self.assertEqual(self.report(FAILURE), 202)
        self.assertEqual(len(self.cluster.events), 2)
        self.assertTrue(self.counted()[0].endswith(" 1"), self.counted())

    def test_a_success_is_written_to_the_node_too(self):
        self.cluster.objects[NODE] = {"metadata": {"name": "aks-general-x7k2p", "uid": "u-2"}}
        self.assertEqual(self.report({"exitCode": 0, "milestones": {"kubelet ready": 2.5}}, token="node"), 202)
        for path in (CLAIM, NODE):
            self.assertEqual(json.loads(self.cluster.objects[path]["metadata"]["annotations"]["sunup.dev/result"]),
                             {"exitCode": 0, "milestones": {"kubelet ready": 2.5}})
        self.assertEqual({event["involvedObject"]["kind"] for event in self.cluster.events.values()}, {"NodeClaim", "Node"})
        self.assertIn("kubelet ready +2.500s", next(iter(self.cluster.events.values()))["message"])

    def test_who_reports_what(self):
        self.assertEqual(self.report(FAILURE, token="good"), 403)  # a client, but no node
        self.assertEqual(self.report(FAILURE, token="node", node="aks-other"), 403)  # a node, but another one
        self.assertEqual(self.report({**FAILURE, "node": "other"}), 422)
        self.assertEqual(self.report({"exitCode": "1"}), 400)
        self.assertEqual(self.report({"exitCode": 1000}), 422)
        self.assertEqual(self.report({"exitCode": 1}, node="aks-unknown"), 404)
        self.assertEqual(self.report({"exitCode": 1}, node="..%2f..%2fsecrets"), 400)
        self.assertEqual(self.cluster.events, {})

    def test_only_reports_that_are_written_use_up_what_a_node_may_send(self):
        self.cluster.refuses = lambda method, path: path.endswith("/events")
        self.assertEqual([self.report(FAILURE) for _ in range(8)], [503] * 8)
        self.cluster.refuses = lambda method, path: False
        self.assertEqual([self.report({**FAILURE, "run": str(i)}) for i in range(5)], [202] * 5)

    def test_a_bootstrap_token_does_not_speak_for_a_node_that_has_joined(self):
        node = {"metadata": {"name": "aks-general-x7k2p", "uid": "u-2"}, "status": {
            "nodeInfo": {"bootID": "0a1b2c3d-0000-4000-8000-00000000ffff"}, "conditions": [{"type": "Ready", "status": "True"}]}}
        self.cluster.objects[NODE] = node
        for wrong in (FAILURE, {**FAILURE, "run": "0a1b2c3d-0000-4000-8000-00000000fffe"}, {"exitCode": 0}):
            self.assertEqual(self.report(wrong), 403)
        self.assertEqual((self.cluster.events, "annotations" in self.cluster.objects[CLAIM]["metadata"]), ({}, False))
        # Its own success comes when it is Ready.
        self.assertEqual(self.report({"exitCode": 0, "run": "0a1b2c3d00004000800000000000ffff"}), 202)
        self.assertEqual(self.report(FAILURE, token="node"), 202)
        node["status"]["conditions"][0]["status"] = "Unknown"
        self.assertEqual(self.report({**FAILURE, "run": "another"}), 202)

    def test_the_node_of_a_claim_is_judged_by_every_name_of_it(self):
        ready = {"conditions": [{"type": "Ready", "status": "True"}], "nodeInfo": {"bootID": "b-1"}}
        forged = {"exitCode": 52, "step": "x"}
        # The Node that Karpenter makes for the NodeClaim, if the path has the name of the NodeClaim.
        self.cluster.objects[NODE] = {"metadata": {"name": "aks-general-x7k2p", "uid": "u-2"}, "status": ready}
        self.assertEqual(self.report(forged, node="general-x7k2p"), 403)
        # The Node in the status of the NodeClaim.
        del self.cluster.objects[NODE]
        self.cluster.objects["/api/v1/nodes/vm-7"] = {"metadata": {"name": "vm-7", "uid": "u-7"}, "status": ready}
        self.cluster.objects[CLAIM]["status"] = {"nodeName": "vm-7"}
        for name in ("general-x7k2p", "aks-general-x7k2p"):
            self.assertEqual(self.report(forged, node=name), 403)
        # The certificate of a node is valid for its own name only.
        self.assertEqual(self.report(forged, token="node"), 403)
        self.assertEqual((self.cluster.events, "annotations" in self.cluster.objects[CLAIM]["metadata"]), ({}, False))
        self.assertEqual(self.report({**forged, "run": "b1"}, node="general-x7k2p"), 202)
        # Other text in the status is not a part of a path.
        self.cluster.objects[CLAIM]["status"] = {"nodeName": "../namespaces"}
        self.assertEqual(self.report({"exitCode": 0}, node="general-x7k2p"), 202)

    def test_connections_to_the_cluster_are_kept(self):
        for i in range(4):
            self.assertEqual(self.report({**FAILURE, "run": str(i)}), 202)
        self.assertEqual(self.ask("GET", "/metrics", token="good")[0], 200)
        self.assertGreaterEqual(sum(self.cluster.asked.values()), 14)
        self.assertEqual(self.cluster.connections, 1)

    def test_a_connection_that_the_cluster_has_closed_is_replaced(self):
        self.cluster.hang_up = True
        self.assertEqual([self.report({**FAILURE, "run": str(i)}) for i in range(3)], [202] * 3)
        self.assertEqual(self.cluster.connections, sum(self.cluster.asked.values()))

    def report_until_recorded(self, i):
        """As a node, which sends its report again if the service is busy."""
        while (status := self.report({"exitCode": 50}, node=f"aks-n{i}")) == 503:
            pass
        return status

    def send_reports(self, count):
        """Reports of this many nodes, all at once: the threads, and a list that their statuses are added to."""
        done = []
        for i in range(count):
            self.cluster.objects[f"/apis/karpenter.sh/v1/nodeclaims/n{i}"] = {"metadata": {"name": f"n{i}", "uid": f"u-{i}"}}
        threads = [threading.Thread(target=lambda i=i: done.append(self.report_until_recorded(i))) for i in range(count)]
        for thread in threads:
            thread.start()
            self.addCleanup(thread.join)
        return threads, done

    def test_a_fleet_that_fails_delays_nobody_else(self):
        # The cluster does not answer what concerns the nodes. Their requests would keep four threads for minutes.
        self.cluster.held = lambda method, path, body: "nodes" in path or "nodeclaims" in path or "/nodes/" in json.dumps(body)
        _, done = self.send_reports(100)
        while self.cluster.asked[("POST", "subjectaccessreviews")] < 4:  # the test's own limit ends it
            threading.Event().wait(0.01)
        self.assertEqual(self.ask("POST", "/v1/render/env", CONFIG, "good")[0], 200)
        self.assertLess(len(done), 100)
        self.cluster.release.set()

    def test_a_fleet_that_fails_is_recorded(self):
        self.cluster.pause = 0.05
        threads, done = self.send_reports(100)
        for thread in threads:
            thread.join()
        self.assertEqual((done, len(self.cluster.events)), ([202] * 100, 100))
        self.assertTrue(self.counted()[0].endswith(" 100"), self.counted())

    def test_the_end_waits_for_no_chain_of_slow_requests(self):
        # Each answer comes just in time, and a report needs up to five, after two about the caller.
        self.cluster.pause = 2.5
        self.cluster.objects[NODE] = {"metadata": {"name": "aks-general-x7k2p", "uid": "u-2"}}
        statuses = []
        reporter = threading.Thread(target=lambda: statuses.append(self.report(FAILURE)))
        reporter.start()
        while not self.cluster.asked[("GET", "aks-general-x7k2p")]:
            threading.Event().wait(0.01)
        before = time.monotonic()
        self.assertEqual(self.server.end()[0], 0)
        self.assertLess(time.monotonic() - before, 8)  # 5 are promised; the chain would take 12.5
        reporter.join()
        self.assertEqual(statuses, [503])

    def test_a_node_in_a_loop_is_stopped(self):
        statuses = [self.report({**FAILURE, "run": str(i)}) for i in range(8)]
        self.assertEqual(statuses[:5], [202] * 5)
        self.assertIn(429, statuses[5:])


if __name__ == "__main__":
    unittest.main()
