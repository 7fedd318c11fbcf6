#!/usr/bin/env bash
# run a benchmark: ./dev bench [micro|node|fleet|serve|scaling]
#   micro  start-up, dry run, renders per second and memory of both programs, compared with the original (default)
#   fleet  resolve up to 100,000 node claims in one process (equal, mixed, all different): claims per second and memory;
#          [--claims N,N] [--mix A,B] [--bootstrap scriptless|nodeconfig]
#   node   boot real nodes and compare the time to NodeReady with nodes that need no provisioner and with a plain script;
#          [trigger|power-on|cold|late ...] [--boots N] [--only A,B] [--parts ROW] [--format json] [--json FILE]; python3 bench/node.py --help describes the figures
#   serve  load on the HTTP API at 1, 64 and 512 connections, 5,000 idle ones, memory, and nginx beside it;
#          [--seconds N] [--requests N] [--json FILE]
#   scaling  the largest request of each route, and how many times longer it takes than one with a sixteenth of the size;
#          [--benchmark_filter=REGEX]
kind=${1:-micro}
[ $# -gt 0 ] && shift
case "$kind" in
  micro)
    ./dev build
    build_preset release benchmarks
    python3 bench/process.py out/bin --spawn build/release/bench/spawn --renders build/release/render_bench "$@"
    ;;
  node)
    ready_for_nodes
    python3 bench/node.py "$@"
    ;;
  fleet)
    ./dev build
    python3 bench/fleet.py out/bin "$@"
    ;;
  serve)
    need bench
    ./dev build
    build_preset release serve_load
    python3 bench/serve.py out/bin --load build/release/bench/serve_load "$@"
    ;;
  scaling)
    build_preset release service_bench
    build/release/service_bench "$@"
    ;;
  *) die "bench what? micro, node, fleet, serve or scaling" ;;
esac
