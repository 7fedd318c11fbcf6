#!/usr/bin/env bash
# build the release programs into out/bin/: ./dev build
# Installs the required Debian packages, compiles the release preset, and creates out/bin/aks-node-controller and
# out/bin/sunup.
[ $# -eq 0 ] || die "build takes no arguments, not '$1'"
need build test
build_preset release aks-node-controller sunup
mkdir -p out/bin
for program in aks-node-controller sunup; do
  install -m 0755 "build/release/apps/$program" "out/bin/.$program.new"
  mv "out/bin/.$program.new" "out/bin/$program"
done
say "out/bin: $(du -h out/bin/aks-node-controller | cut -f1) aks-node-controller, $(du -h out/bin/sunup | cut -f1) sunup"
