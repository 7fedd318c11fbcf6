#!/usr/bin/env bash
# run the fuzz targets: ./dev fuzz [TARGET...] [--seconds N] [--jobs N]  (default: all targets, 60 s each, one per processor at a time)
# A target is tests/fuzz/TARGET_fuzz.cc. The corpus is kept in build/fuzz/corpus/TARGET and used by the next run. An input that
# violates a property is stored in build/fuzz/findings/ and named in the output. The last line counts the targets.
# shellcheck source=tools/dev/lib.sh
seconds=60 jobs=$(nproc) targets=()
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds | --jobs)
      [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || die "fuzz: $1 needs a number"
      printf -v "${1#--}" %s "$2"
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
build_preset asan-ubsan "${targets[@]/%/_fuzz}"
findings=build/fuzz/findings
mkdir -p "$findings"

# fuzz_one TARGET: fails if an input violates a property.
fuzz_one() {
  local target=$1 corpus=build/fuzz/corpus/$1 seeds=build/fuzz/seeds/$1 dict=build/fuzz/$1.dict log=build/fuzz/$1.log
  mkdir -p "$corpus" "$seeds"
  [ -d "tests/fuzz/seeds/$target" ] && cp "tests/fuzz/seeds/$target"/* "$seeds/"
  rm -f "$dict"
  [ -x "tests/fuzz/$target.prepare" ] && "tests/fuzz/$target.prepare" "$seeds" "$dict"
  local options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1
    -artifact_prefix="$findings/$target-")
  [ -f "$dict" ] && options+=(-dict="$dict")
  if ! "build/asan-ubsan/tests/fuzz/${target}_fuzz" "${options[@]}" "$corpus" "$seeds" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    say "fuzz: $target violates a property; the input is in $findings, the whole output in $log"
    return 1
  fi
  say "$target: $(sed -n 's/^stat::number_of_executed_units: */ /p' "$log" | tr -d ' ') inputs, no finding"
}

say "fuzzing ${#targets[@]} targets for $seconds s each, $jobs at a time"
running=0 wrong=0
for target in "${targets[@]}"; do
  if [ $running -ge "$jobs" ]; then
    wait -n || wrong=$((wrong + 1))
    running=$((running - 1))
  fi
  fuzz_one "$target" &
  running=$((running + 1))
done
while [ $running -gt 0 ]; do
  wait -n || wrong=$((wrong + 1))
  running=$((running - 1))
done
echo "$((${#targets[@]} - wrong)) passed, $wrong failed"
[ $wrong -eq 0 ]
