#!/usr/bin/env python3
"""Requests per second and latency of `sunup serve` on loopback. The load runs on the same processors; nginx is measured for comparison.

    bench/serve.py BIN_DIR --load PROGRAM [--seconds 3] [--requests 1000000] [--json FILE] [--without-nginx]

Rows: custom data, resolve and check, at 1, 64 and 512 connections. `a core` divides the requests by the processor time of the
server. nginx answers a static body of the size of the custom data, to requests of the same size; it is the limit of what HTTP
on this machine allows. Then: p99 at half of the highest rate, without and with 5,000 idle connections, by turns and three times
each, and the server's memory at each quarter of --requests requests. At the end each figure with a bar stands beside its bar.
Figures of one run are comparable with each other only."""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
IDLE = 5000  # connections
TURNS = 3
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"


def request(path, body):
    return f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: {len(body.encode())}\r\n\r\n{body}".encode()


def processor_seconds(pids):
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def resident(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


class Bench:
    def __init__(self, load, folder):
        self.load, self.folder, self.rows = load, folder, []

    def run(self, port, pids, connections, seconds, text, idle=0, rate=0):
        file = pathlib.Path(self.folder, "request")
        file.write_bytes(text)
        before = processor_seconds(pids)
        out = subprocess.run([self.load, str(port), str(connections), str(seconds), str(idle), str(rate), str(file)], check=True, capture_output=True, text=True)
        row = json.loads(out.stdout)
        row["rate"] = row["requests"] / row["seconds"]
        used = processor_seconds(pids) - before
        row["core"] = row["requests"] / used if used else 0
        if row["failures"]:
            sys.exit(f"{row['failures']} requests failed")
        if not row["requests"]:
            sys.exit(f"no request was answered in {seconds} s: give more --seconds")
        return row

    def row(self, name, connections, measured):
        self.rows.append({"name": name, "connections": connections, **measured})
        print(f"{name:<22}{connections:>6}{measured['rate']:>12,.0f}{measured['core']:>12,.0f}{measured['p50'] / 1000:>9.2f}{measured['p99'] / 1000:>9.2f}", flush=True)


# What the figures are held against: what it is, the figure, its unit, "at least" or "at most", and the bar.
def bars(rows):
    highest = max(row["core"] for row in rows if row["name"] == "custom data")
    yield "custom data a core", highest, "a second", "at least", 10000
    half, idle = (statistics.median(row["p99"] for row in rows if row["name"] == f"half load, {count} idle") for count in (0, IDLE))
    yield "p99 at half load", half / 1000, "ms", "at most", 10
    yield f"p99 with {IDLE:,} idle connections, more than without", (idle / half - 1) * 100, "%", "at most", 20
    if memory := [row for row in rows if row["name"] == "memory"]:
        # The first quarter fills caches and the allocator's arenas.
        first, last = memory[0]["samples"][1], memory[0]["samples"][-1]
        yield "memory after the first quarter", (last / first - 1) * 100, "% more", "at most", 5


def nginx(folder, body_size):
    """A server with one worker that answers any request with a static body."""
    program = NGINX
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    pathlib.Path(folder, "body").write_text("x" * body_size)
    config = pathlib.Path(folder, "nginx.conf")
    config.write_text(f"""worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log /dev/null;
user root;
events {{ worker_connections 8192; }}
http {{ access_log off; keepalive_requests 100000000; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5; client_max_body_size 4m; client_body_buffer_size 1m;
server {{ listen 127.0.0.1:{port}; root {folder}; location / {{ error_page 405 =200 /body; try_files /body =404; }} }} }}""")
    process = subprocess.Popen([program, "-c", str(config), "-p", folder], stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.02)
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return process, port, [process.pid, *map(int, children)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--load", required=True)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--requests", type=int, default=1000000, help="for the memory; 0 leaves it out")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--without-nginx", action="store_true", help="leave out its rows")
    options = parser.parse_args()
    if not options.without_nginx and not os.path.exists(NGINX):
        sys.exit("nginx is not installed (package nginx-light): install it, or give --without-nginx")
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)

    import yaml
    config = (ROOT / "examples" / "node" / "config.json").read_text()
    examples = {name: yaml.safe_load((ROOT / "examples" / "fleet" / f"{name.lower()}.yaml").read_text()) for name in ("settings", "nodePool", "nodeClass")}
    texts = {"custom data": request("/v1/render/custom-data?os=ubuntu2404", config), "resolve": request("/v1/resolve", json.dumps(examples)),
             "check": request("/v1/config/check", config)}
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([options.bin / "sunup", "serve", "--port", "0"], stderr=subprocess.PIPE, text=True)
        port = int(re.search(r":(\d+)$", server.stderr.readline().strip())[1])
        drain = subprocess.Popen(["cat"], stdin=server.stderr, stdout=subprocess.DEVNULL)
        bench = Bench(options.load, folder)
        try:
            print(f"{'':<22}{'conns':>6}{'a second':>12}{'a core':>12}{'p50 ms':>9}{'p99 ms':>9}")
            for name, text in texts.items():
                for connections in (1, 64, 512):
                    bench.row(name, connections, bench.run(port, [server.pid], connections, options.seconds, text))
            highest = max(row["rate"] for row in bench.rows if row["name"] == "custom data")
            for idle in (0, IDLE) * TURNS:
                measured = bench.run(port, [server.pid], 64, options.seconds, texts["custom data"], idle, highest / 2)
                bench.row(f"half load, {idle} idle", 64, measured)
            connection = socket.create_connection(("127.0.0.1", port))
            connection.sendall(texts["custom data"])
            size = int(re.search(rb"Content-Length: (\d+)", connection.recv(65536))[1])
            if options.without_nginx:
                print("nginx: left out (--without-nginx)")
            else:
                limit, limit_port, limit_pids = nginx(folder, size)
                for connections in (1, 64, 512):
                    bench.row(f"nginx, {size} bytes", connections, bench.run(limit_port, limit_pids, connections, options.seconds, texts["custom data"]))
                limit.terminate()
                limit.wait()
            if options.requests:
                done, samples = 0, [resident(server.pid)]
                for quarter in (1, 2, 3, 4):
                    while done < options.requests * quarter / 4:
                        done += bench.run(port, [server.pid], 64, min(10, options.seconds), texts["custom data"])["requests"]
                    samples.append(resident(server.pid))
                    print(f"memory: {samples[-1]:.1f} MiB after {done:,} more requests ({samples[-1] - samples[0]:+.1f} MiB since the first)", flush=True)
                bench.rows.append({"name": "memory", "samples": samples, "requests": done})
            else:
                print("memory: left out (--requests 0)")
            for name, figure, unit, side, bar in bars(bench.rows):
                met = figure >= bar if side == "at least" else figure <= bar
                print(f"{name}: {figure:,.1f} {unit}, {side} {bar:,}: {'met' if met else 'MISSED'}")
                bench.rows.append({"name": f"bar: {name}", "figure": figure, "bar": bar, "met": met})
        finally:
            server.terminate()
            server.wait()
            drain.wait()
    if options.json:
        options.json.write_text(json.dumps(bench.rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
