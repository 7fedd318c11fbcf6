#!/usr/bin/env bash
# check the layout, and run shellcheck and clang-tidy: ./dev lint [--style | FILE.cc...]
# --style skips clang-tidy, which takes about half an hour on two cores with an empty cache.
# A file without findings is checked again only after its preprocessed text or the list of checks changes.
need lint
./dev fmt --check
mapfile -t scripts < <(git ls-files -co --exclude-standard '*.sh' dev .ci/run ':!tests/fuzz/seeds')
shellcheck -x -e SC1090,SC1091 -s bash "${scripts[@]}"
[ "${1:-}" != --style ] || return 0
need build test tidy
[ -f build/dev/build.ninja ] || cmake --preset dev >/dev/null
# Generated headers must exist before anything can be parsed.
cmake --build --preset dev --target proto >/dev/null
python3 tools/tidy.py build/dev "$@"
