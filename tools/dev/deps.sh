#!/usr/bin/env bash
# installs the Debian packages the project needs: ./dev deps [GROUP...] (default: all groups)
# The groups are the files in tools/deps/. Running it again changes nothing.
if [ $# -eq 0 ]; then
  for f in tools/deps/*.txt; do set -- "$@" "$(basename "$f" .txt)"; done
fi
need "$@"
say "packages of group(s) $* are in place"
