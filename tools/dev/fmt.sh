#!/usr/bin/env bash
# format the code: ./dev fmt [--check]
need lint
mapfile -t files < <(git ls-files -co --exclude-standard '*.cc' '*.h')
if [ "${1:-}" = --check ]; then
  clang-format-19 --dry-run --Werror "${files[@]}" || die "run ./dev fmt to fix the layout"
else
  clang-format-19 -i "${files[@]}"
fi
