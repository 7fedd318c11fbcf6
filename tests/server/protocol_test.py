#!/usr/bin/env python3
"""HTTP/1.1 as RFC 9110 and 9112 have it, on real sockets."""
import json
import random
import re
import threading
import unittest

from serving import CONFIG, Case, raw, read_answer

HOST = "Host: here\r\n"


class Protocol(Case):
    def setUp(self):
        self.server = self.serve()

    def say(self, text):
        with self.server.connect() as connection:
            raw(connection, text)
            return read_answer(connection)

    def test_requests_follow_each_other_on_a_connection(self):
        with self.server.connect() as connection:
            for _ in range(3):
                raw(connection, f"GET /healthz HTTP/1.1\r\n{HOST}\r\n")
                status, fields, body = read_answer(connection)
                self.assertEqual((status, body), (200, b"ok\n"))
                self.assertNotIn("connection", fields)
                self.assertIn("date", fields)

    def test_requests_that_do_not_wait_are_answered_in_order(self):
        with self.server.connect() as connection:
            raw(connection, f"GET /v1/cluster-id?host=abc HTTP/1.1\r\n{HOST}\r\nGET /nothing HTTP/1.1\r\n{HOST}\r\n"
                            f"GET /healthz HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n")
            data = b""
            while more := connection.recv(65536):
                data += more
        self.assertEqual(re.findall(rb"HTTP/1.1 (\d+)", data), [b"200", b"404", b"200"])

    def test_head_has_the_header_of_get_and_no_body(self):
        with self.server.connect() as connection:
            raw(connection, f"HEAD /healthz HTTP/1.1\r\n{HOST}\r\nGET /healthz HTTP/1.1\r\n{HOST}\r\n")
            data = b""
            while data.count(b"HTTP/1.1 200") < 2 or not data.endswith(b"ok\n"):
                data += connection.recv(65536)
        head = data.split(b"\r\n\r\n")[0]
        self.assertIn(b"Content-Length: 3", head)
        self.assertTrue(data.split(b"\r\n\r\n")[1].startswith(b"HTTP/1.1 200"))

    def test_options_name_the_methods(self):
        status, fields, body = self.say(f"OPTIONS /v1/resolve HTTP/1.1\r\n{HOST}\r\n")
        self.assertEqual((status, fields["allow"], body), (204, "POST, OPTIONS", b""))
        self.assertEqual(self.say(f"OPTIONS * HTTP/1.1\r\n{HOST}\r\n")[0], 204)
        status, fields, _ = self.say(f"DELETE /healthz HTTP/1.1\r\n{HOST}\r\n")
        self.assertEqual((status, fields["allow"]), (405, "GET, HEAD, OPTIONS"))

    def test_a_target_may_have_a_scheme_and_a_host(self):
        self.assertEqual(self.say(f"GET http://other/healthz HTTP/1.1\r\n{HOST}\r\n")[0], 200)

    def test_what_is_refused(self):
        described = json.loads(self.server.ask("GET", "/openapi.json")[1])["paths"]["/v1/resolve"]["post"]["responses"]
        self.assertNotIn("414", described)
        for text, expected in {
            "GET /healthz HTTP/1.1\r\n\r\n": 400,
            f"GET /healthz HTTP/1.1\r\n{HOST}{HOST}\r\n": 400,
            f"GET /healthz HTTP/1.1\r\n{HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n": 400,
            f"POST /v1/resolve HTTP/1.1\r\n{HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n": 400,
            f"POST /v1/resolve HTTP/1.1\r\n{HOST}Transfer-Encoding: gzip\r\n\r\n": 501,
            f"POST /v1/resolve HTTP/1.1\r\n{HOST}Transfer-Encoding: gzip, chunked\r\n\r\n": 501,
            f"POST /v1/resolve HTTP/1.1\r\n{HOST}Expect: more\r\nContent-Length: 2\r\n\r\n": 417,
            f"POST /v1/resolve HTTP/1.1\r\n{HOST}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n": 415,
            f"POST /v1/resolve HTTP/1.1\r\n{HOST}Content-Length: 99999999\r\n\r\n": 413,
            f"GET /{'a' * 20000} HTTP/1.1\r\n{HOST}\r\n": 431,
            f"GET /healthz HTTP/2.0\r\n{HOST}\r\n": 505,
            "\x16\x03\x01\x02\x00": 400,
        }.items():
            with self.subTest(text=text[:80]):
                self.assertIn(str(expected), described)
                answer = self.say(text + "\r\n" if text.startswith("\x16") else text)
                self.assertEqual(answer[0], expected, answer)
                self.assertEqual(answer[1]["connection"], "close")
                self.assertIn("error", json.loads(answer[2]))

    def test_http_1_0_needs_no_host_and_closes(self):
        status, fields, _ = self.say("GET /healthz HTTP/1.0\r\n\r\n")
        self.assertEqual((status, fields["connection"]), (200, "close"))
        status, fields, _ = self.say("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        self.assertEqual((status, fields["connection"]), (200, "keep-alive"))

    def test_a_client_that_waits_is_told_to_continue(self):
        with self.server.connect() as connection:
            raw(connection, f"POST /v1/render/env HTTP/1.1\r\n{HOST}Expect: 100-continue\r\nContent-Length: {len(CONFIG)}\r\n\r\n")
            self.assertEqual(connection.recv(65536), b"HTTP/1.1 100 Continue\r\n\r\n")
            raw(connection, CONFIG)
            self.assertEqual(read_answer(connection)[0], 200)
        with self.server.connect() as connection:  # what is refused anyway is not asked for
            raw(connection, f"POST /v1/resolve HTTP/1.1\r\n{HOST}Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n")
            self.assertEqual(read_answer(connection)[0], 413)

    def test_get_with_a_body_is_read(self):
        with self.server.connect() as connection:
            raw(connection, f"GET /v1/cluster-id?host=abc HTTP/1.1\r\n{HOST}Content-Length: 10\r\n\r\n0123456789GET /healthz HTTP/1.1\r\n{HOST}\r\n")
            self.assertEqual(read_answer(connection)[0], 200)

    def test_chunks_arrive_in_any_pieces(self):
        body = "".join(f"{len(piece):x}\r\n{piece}\r\n" for piece in (CONFIG[:100], CONFIG[100:101], CONFIG[101:])) + "0\r\n\r\n"
        with self.server.connect() as connection:
            for character in f"POST /v1/render/env HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n":
                raw(connection, character)
            for at in range(0, len(body), 7):
                raw(connection, body[at:at + 7])
            self.assertEqual(read_answer(connection)[0], 200)

    def test_a_large_body_is_read_and_refused_by_its_rules(self):
        body = json.dumps({"version": "v1", "custom_ca_certs": ["%0600000x" % random.Random(1).getrandbits(2_400_000)]})
        status, _, _ = self.server.ask("POST", "/v1/render/custom-data", body)
        self.assertEqual(status, 422)

    def test_a_body_that_is_too_large_gets_its_answer_although_it_is_still_being_sent(self):
        with self.server.connect() as connection:
            raw(connection, f"POST /v1/resolve HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n")
            failed = []

            def send():
                try:
                    for _ in range(100):
                        raw(connection, "10000\r\n" + " " * 0x10000 + "\r\n")
                except OSError as error:
                    failed.append(error)

            sender = threading.Thread(target=send)
            sender.start()
            self.assertEqual(read_answer(connection)[0], 413)
            connection.settimeout(60)
            sender.join()

    def test_a_request_has_an_id(self):
        _, _, answer = self.server.ask("GET", "/healthz", headers={"X-Request-Id": "abc-1.2_3"})
        self.assertEqual(answer.getheader("X-Request-Id"), "abc-1.2_3")
        _, _, answer = self.server.ask("GET", "/healthz", headers={"X-Request-Id": "a b\"c"})
        self.assertRegex(answer.getheader("X-Request-Id"), "^[0-9a-f]{16}$")

    def test_a_line_of_the_log_and_the_metrics_tell_no_secret(self):
        secret = "abcdef.0123456789abcdef"
        self.server.ask("POST", f"/v1/render/env?containerd-version={secret}", CONFIG, headers={"Authorization": f"Bearer {secret}", "X-Request-Id": "one"})
        self.server.ask("POST", f"/v1/render/env?{secret}={secret}", CONFIG)
        self.server.ask("GET", f"/nothing/{secret}", headers={"X-Request-Id": "two"})
        status, metrics, _ = self.server.ask("GET", "/metrics")
        self.assertEqual(status, 200)
        self.assertIn('sunup_http_requests_total{route="/v1/render/env",method="POST",code="200"} 1\n', metrics)
        self.assertIn('sunup_http_requests_total{route="none",method="GET",code="404"} 1\n', metrics)
        self.assertIn('sunup_http_request_duration_seconds_count{route="/v1/render/env"} 2\n', metrics)
        code, log = self.server.end()
        self.assertEqual(code, 0)
        one, two = (next(line for line in log if line.get("id") == name) for name in ("one", "two"))
        self.assertEqual((one["route"], one["method"], one["status"], one["received"]), ("/v1/render/env", "POST", 200, len(CONFIG)))
        self.assertEqual((two["route"], two["status"]), ("none", 404))
        for text in (metrics, json.dumps(log)):
            self.assertNotIn(secret, text)
            self.assertNotIn("0123456789abcdef", text)


if __name__ == "__main__":
    unittest.main()
