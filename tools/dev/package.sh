#!/usr/bin/env bash
# builds the Debian packages into out/: ./dev package
# aks-node-controller (for node images: program, units, manual page) and sunup (for whoever creates nodes). The same
# sources give the same bytes; times inside come from the last commit (or SOURCE_DATE_EPOCH).
. tools/dev/build.sh
[ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH
for package in $(packaging/deb/build out/bin out); do
  say "$package: $(du -h "$package" | cut -f1)"
done
