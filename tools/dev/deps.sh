#!/usr/bin/env bash
# install the Debian packages that the project needs: ./dev deps [GROUP...] (default: all groups)
# The groups are the files in tools/deps/. Installed packages are not changed.
if [ $# -eq 0 ]; then
  for f in tools/deps/*.txt; do set -- "$@" "$(basename "$f" .txt)"; done
fi
need "$@"
say "packages of group(s) $* are in place"
