#!/usr/bin/env bash
# build the release programs into out/bin/: ./dev build [--arch amd64|arm64]
# Installs the required Debian packages, compiles the release preset, and creates out/bin/aks-node-controller and
# out/bin/sunup. --arch arm64 on another machine compiles with the same compiler and arm64's libraries, which are unpacked into the cache,
# and creates out/bin-arm64/.
preset='' bin=''
choose_arch build "$@"
build_preset "$preset" aks-node-controller sunup
mkdir -p "$bin"
for program in aks-node-controller sunup; do
  install -m 0755 "build/$preset/apps/$program" "$bin/.$program.new"
  mv "$bin/.$program.new" "$bin/$program"
done
say "$bin: $(du -h "$bin/aks-node-controller" | cut -f1) aks-node-controller, $(du -h "$bin/sunup" | cut -f1) sunup"
