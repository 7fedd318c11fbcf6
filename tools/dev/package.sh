#!/usr/bin/env bash
# build the Debian packages into out/: ./dev package
# Builds aks-node-controller (for node images: program, units, manual page) and sunup (for machines that create nodes). The
# same sources give the same bytes; timestamps in the packages are that of the last commit (or SOURCE_DATE_EPOCH).
. tools/dev/build.sh
[ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH
for package in $(packaging/deb/build out/bin out); do
  say "$package: $(du -h "$package" | cut -f1)"
done
