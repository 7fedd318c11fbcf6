#!/usr/bin/env bash
# run simulations with random faults: ./dev sim [--native] [--seeds N] [--start S] | --seed S
# --native simulates native provisioning (the real step catalogue, with the configs of the golden cases) instead of random
# graphs. A failing seed is printed and can be replayed with --seed, which prints every event. The last line is
# "N seeds, F failures"; the exit code is 1 if any seed failed.
need build test
build_preset release sunup-sim
exec build/release/tests/sim/sunup-sim "$@"
