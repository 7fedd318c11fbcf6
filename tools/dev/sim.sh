#!/usr/bin/env bash
# plays the simulated machine: ./dev sim [--seeds N] [--start S] | --seed S
# Any range of seeds works; a failing seed is named and can be replayed with --seed, which prints everything that
# happened. Last line: "N seeds, F failures"; exit code 1 if any failed.
need build test
build_preset release sunup-sim
exec build/release/tests/sim/sunup-sim "$@"
