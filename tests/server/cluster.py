"""A stand-in for a cluster's API server: reviews tokens and access, stores objects, and counts requests."""
import collections
import http.server
import json
import pathlib
import ssl
import threading
import time


class Cluster:
    def __init__(self, folder, certificate="apiserver"):
        self.users = {}  # token -> (user, groups), or (user, groups, other members of the user)
        self.judged = []  # the spec of each SubjectAccessReview
        self.allowed = set()  # (user or group, verb, prefix of the path)
        self.objects = {}  # path -> object
        self.events = {}  # name -> event
        self.asked = collections.Counter()
        self.connections = 0
        self.broken = False
        self.refuses = lambda method, path: False  # which requests get 500
        self.held = lambda method, path, body: False  # which requests wait until `release` is set
        self.release = threading.Event()
        self.pause = 0  # seconds that every answer takes
        self.hang_up = False  # close each connection after its first answer, without announcing it
        cluster = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                cluster.connections += 1

            def answer(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def handle_any(self):
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length)) if length else None
                cluster.asked[(self.command, self.path.rsplit("/", 1)[-1])] += 1
                if cluster.held(self.command, self.path, body):
                    cluster.release.wait()
                if cluster.pause:
                    time.sleep(cluster.pause)
                if cluster.hang_up:
                    self.close_connection = True
                if cluster.broken or cluster.refuses(self.command, self.path):
                    return self.answer(500, {})
                if self.headers.get("Authorization") != "Bearer service-token":
                    return self.answer(401, {})
                return self.answer(*cluster.respond(self.command, self.path, body, self.headers.get("Content-Type")))

            do_GET = do_POST = do_PATCH = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(str(pathlib.Path(folder, f"{certificate}.crt")), str(pathlib.Path(folder, f"{certificate}.key")))
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"https://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()

    def respond(self, method, path, body, content_type):
        if path.endswith("/tokenreviews"):
            found = self.users.get(body["spec"]["token"])
            status = {"authenticated": True, "user": {"username": found[0], "groups": found[1], **(found[2] if len(found) > 2 else {})}} if found else {"authenticated": False}
            return 201, {**body, "status": status}
        if path.endswith("/subjectaccessreviews"):
            spec = body["spec"]
            self.judged.append(spec)
            what = spec["nonResourceAttributes"]
            who = [spec["user"], *spec["groups"]]
            allowed = any(verb == what["verb"] and name in who and what["path"].startswith(prefix) for name, verb, prefix in self.allowed)
            return 201, {**body, "status": {"allowed": allowed}}
        if path.endswith("/events") and method == "POST":
            name = body["metadata"]["name"]
            if name in self.events:
                return 409, {}
            self.events[name] = body
            return 201, body
        found = self.objects.get(path)
        if found is None:
            return 404, {"kind": "Status"}
        if method == "PATCH":
            assert content_type == "application/merge-patch+json"
            found["metadata"].setdefault("annotations", {}).update(body["metadata"]["annotations"])
        return 200, found
