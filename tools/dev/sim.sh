#!/usr/bin/env bash
# plays the simulated machine: ./dev sim [--native] [--seeds N] [--start S] | --seed S
# --native plays native provisioning (the real step catalogue, for the configs of the golden cases) instead of drawn graphs.
# Any range of seeds works; a failing seed is named and can be replayed with --seed, which prints everything that
# happened. Last line: "N seeds, F failures"; exit code 1 if any failed.
need build test
build_preset release sunup-sim
exec build/release/tests/sim/sunup-sim "$@"
