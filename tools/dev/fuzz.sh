#!/usr/bin/env bash
# run the fuzz targets: ./dev fuzz [TARGET...] [--seconds N]  (default: all targets, 60 s each)
# A target is tests/fuzz/TARGET_fuzz.cc. The corpus is kept in build/fuzz/corpus/TARGET and used by the next run. An input that
# violates a property is stored in build/fuzz/findings/ and named in the last lines of the output.
# shellcheck source=tools/dev/lib.sh
seconds=60 targets=()
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds)
      [[ "${2:-}" =~ ^[0-9]+$ ]] || die "fuzz: --seconds needs a number"
      seconds=$2
      shift
      ;;
    -*) die "fuzz: unknown flag $1" ;;
    *) targets+=("$1") ;;
  esac
  shift
done
if [ ${#targets[@]} -eq 0 ]; then
  for f in tests/fuzz/*_fuzz.cc; do targets+=("$(basename "$f" _fuzz.cc)"); done
fi
for target in "${targets[@]}"; do
  [ -f "tests/fuzz/${target}_fuzz.cc" ] || die "fuzz: no target '$target' in tests/fuzz"
done
need build test
build_preset fuzz "${targets[@]/%/_fuzz}"
findings=build/fuzz/findings
mkdir -p "$findings"
for target in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$target seeds=build/fuzz/seeds/$target dict=build/fuzz/$target.dict
  mkdir -p "$corpus" "$seeds"
  [ -d "tests/fuzz/seeds/$target" ] && cp "tests/fuzz/seeds/$target"/* "$seeds/"
  rm -f "$dict"
  [ -x "tests/fuzz/$target.prepare" ] && "tests/fuzz/$target.prepare" "$seeds" "$dict"
  say "fuzzing $target for $seconds s"
  log=build/fuzz/$target.log
  options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1
    -artifact_prefix="$findings/$target-")
  [ -f "$dict" ] && options+=(-dict="$dict")
  if ! "build/fuzz/tests/fuzz/${target}_fuzz" "${options[@]}" "$corpus" "$seeds" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    die "fuzz: $target broke a promise; the input is in $findings, the whole output in $log"
  fi
  say "$target: $(sed -n 's/^stat::number_of_executed_units: */ /p' "$log" | tr -d ' ') inputs, no finding"
done
