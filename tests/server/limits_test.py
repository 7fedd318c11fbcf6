#!/usr/bin/env python3
"""Limits of the server: many, slow and silent clients, too few descriptors, and its shutdown."""
import fcntl
import http.client
import json
import os
import resource
import selectors
import threading
import unittest

from serving import CONFIG, PATIENCE, Case, Server, raw, read_answer

F_SETPIPE_SZ = 1031  # fcntl.h; Python 3.10 names it

HEAVY = json.dumps({"version": "v1", "kubernetes_version": "1.33.1", "custom_ca_certs": ["QUJD" * 10] * 20000})


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Limits(Case):
    def test_idle_connections_and_slow_bodies_stop_nobody(self):
        server = self.serve("--workers", "1")
        silent = [server.connect() for _ in range(200)]
        for connection in silent[:100]:
            raw(connection, "POST /v1/resolve HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\nx")
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        self.assertEqual(server.ask("POST", "/v1/render/env", CONFIG)[0], 200)
        for connection in silent:
            connection.close()

    def test_health_is_answered_while_every_worker_is_busy(self):
        server = self.serve("--workers", "1")
        busy = []
        for _ in range(20):
            connection = server.connect()
            raw(connection, f"POST /v1/config/check HTTP/1.1\r\nHost: here\r\nContent-Length: {len(HEAVY)}\r\n\r\n{HEAVY}")
            busy.append(connection)
        with server.connect() as connection:
            raw(connection, "GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
            self.assertEqual(read_answer(connection)[0], 200)
        for connection in busy:
            self.assertIn(read_answer(connection)[0], (200, 404, 503))
            connection.close()

    def test_bodies_that_never_arrive_use_up_nothing(self):
        server = self.serve()
        held = [server.connect() for _ in range(80)]
        for connection in held:
            raw(connection, "POST /v1/resolve HTTP/1.1\r\nHost: here\r\nContent-Length: 4194304\r\n\r\n{")
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)  # after the server has read them
        self.assertEqual(server.ask("POST", "/v1/render/env", CONFIG)[0], 200)
        for connection in held:
            connection.close()

    def test_bodies_that_have_arrived_have_a_limit_together(self):
        server = self.serve("--body-mebibytes", "64")
        waiting = selectors.DefaultSelector()
        for _ in range(20):
            connection = server.connect()
            self.addCleanup(connection.close)
            waiting.register(connection, selectors.EVENT_READ)
            raw(connection, "POST /v1/resolve HTTP/1.1\r\nHost: here\r\nContent-Length: 4194304\r\n\r\n" + " " * 4194303)
        refused = 0
        while refused < 4:  # 16 of them have their place
            for key, _ in waiting.select(PATIENCE):
                waiting.unregister(key.fileobj)
                self.assertEqual(read_answer(key.fileobj)[0], 503)
                refused += 1
        self.assertEqual(waiting.select(0), [])

    def test_a_body_that_is_not_needed_is_not_read(self):
        server = self.serve()
        for start, status in (("GET /healthz", 413), ("GET /nothing", 404), ("DELETE /healthz", 405), ("OPTIONS /v1/resolve", 204)):
            for length in ("Content-Length: 4000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2000\r\n" + "x" * 0x2000):
                with self.subTest(start=start, length=length[:20]), server.connect() as connection:
                    raw(connection, f"{start} HTTP/1.1\r\nHost: here\r\n{length}")
                    answer = read_answer(connection)
                    self.assertEqual((answer[0], answer[1]["connection"]), (status, "close"))

    def test_a_slow_request_is_told_so_and_an_idle_connection_is_closed(self):
        server = self.serve("--idle-seconds", "1", "--request-seconds", "1")
        with server.connect() as slow, server.connect() as idle:
            raw(slow, "POST /v1/resolve HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\nx")
            self.assertEqual(read_answer(slow)[0], 408)
            self.assertEqual(idle.recv(1), b"")

    def test_a_header_that_is_not_completed_is_not_waited_for(self):
        server = self.serve("--request-seconds", "3600")
        with server.connect() as connection:
            raw(connection, "G")
            self.assertEqual(read_answer(connection)[0], 408)

    def test_a_new_connection_takes_the_place_of_the_one_that_was_idle_longest(self):
        server = self.serve("--connections", "3")
        old = [server.connect() for _ in range(3)]
        for connection in old:
            raw(connection, "GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
            self.assertEqual(read_answer(connection)[0], 200)
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        self.assertEqual(old[0].recv(1), b"")
        raw(old[2], "GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
        self.assertEqual(read_answer(old[2])[0], 200)
        for connection in old:
            connection.close()

    def test_without_descriptors_it_waits_and_does_not_spin(self):
        server = self.serve(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
        # Requests that have begun cannot be ended for others, so nothing more can be accepted.
        held = []
        for _ in range(60):
            connection = server.connect()
            raw(connection, "POST /v1/resolve HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\nx")
            held.append(connection)
        before = processor_seconds(server.process.pid)
        waited = threading.Event()
        waited.wait(2)
        self.assertLess(processor_seconds(server.process.pid) - before, 0.5)
        for connection in held:
            connection.close()
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        self.assertNotIn("sunup_http_accept_failures_total 0\n", server.ask("GET", "/metrics")[1])

    def test_a_log_that_nobody_reads_stops_nobody(self):
        read, write = os.pipe()
        self.addCleanup(os.close, read)
        fcntl.fcntl(write, F_SETPIPE_SZ, 4096)  # full soon
        server = Server.with_log(write)
        os.close(write)
        self.addCleanup(server.kill)
        for _ in range(300):
            self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        server.process.terminate()
        self.assertEqual(server.process.wait(timeout=PATIENCE), 0)


class End(Case):
    def test_requests_that_have_begun_are_completed_and_no_others_are_accepted(self):
        server = self.serve()
        with server.connect() as begun, server.connect() as idle, server.connect() as probe:
            raw(probe, "GET /readyz HTTP/1.1\r\nHost: here\r\n\r\n")
            self.assertEqual(read_answer(probe)[0], 200)
            raw(begun, f"POST /v1/render/env HTTP/1.1\r\nHost: here\r\nContent-Length: {len(CONFIG)}\r\n\r\n{CONFIG[:-1]}")
            raw(probe, "GET /readyz HTTP/1.1\r\nHost: here\r\n")  # begun, too
            self.assertEqual(server.ask("GET", "/healthz")[0], 200)  # the server has read both
            server.process.terminate()
            self.assertEqual(idle.recv(1), b"")
            with self.assertRaises(ConnectionRefusedError):
                server.connect()
            raw(probe, "\r\n")
            self.assertEqual(read_answer(probe)[0], 503)
            raw(begun, CONFIG[-1])
            status, fields, _ = read_answer(begun)
            self.assertEqual((status, fields["connection"]), (200, "close"))
        self.assertEqual(server.end()[0], 0)

    def test_a_request_that_never_ends_does_not_keep_it(self):
        server = self.serve()
        with server.connect() as begun:
            raw(begun, "POST /v1/render/env HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\nx")
            self.assertEqual(server.ask("GET", "/healthz")[0], 200)
            self.assertEqual(server.end()[0], 0)

    def test_it_ends_under_load(self):
        server = self.serve()
        stop = threading.Event()
        wrong = []

        def load():
            while not stop.is_set():
                try:
                    if server.ask("POST", "/v1/render/custom-data", CONFIG)[0] != 200:
                        wrong.append("status")
                except (OSError, http.client.HTTPException):  # the server has ended
                    if not stop.is_set():
                        wrong.append("connection")

        threads = [threading.Thread(target=load) for _ in range(8)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        stop.set()
        code, _ = server.end()
        for thread in threads:
            thread.join()
        self.assertEqual((code, wrong), (0, []))


if __name__ == "__main__":
    unittest.main()
