#!/usr/bin/env bash
# checks layout, shellcheck and clang-tidy: ./dev lint [--style | FILE.cc...]
# --style leaves clang-tidy out, which takes about half an hour on two cores when it has read nothing yet.
# A file that was clean is not read again until its preprocessed text or the list of checks changes.
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
