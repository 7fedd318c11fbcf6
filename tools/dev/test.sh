#!/usr/bin/env bash
# run the tests: ./dev test [LANE...]  (default: style unit faults tsan e2e; the other lanes run only if named)
#   style  layout and shellcheck
#   unit   release build and Helm (compiled once); unit, conformance and black-box tests with the release programs, 12,000 simulated machines
#   faults system calls of provisioning runs that fail once: a fixed sample of 1,400 by default, every call if the lane is named, which
#          takes hours; ./dev test faults [--most N] [--seconds N] [--seed S] [--node NODE] [NODE:THREAD:CALL:NUMBER:ERROR...]
#   soak   kills, power cuts, full disks and trouble with IMDS and the network on real nodes, until it is stopped;
#          ./dev test soak [--kills N] [--seconds N] [--seed S [--round N]] [--jobs N]
#   api    property tests of the HTTP API against its own description (schemathesis from PyPI), under a minute
#   lint   style and clang-tidy
#   asan   the unit tests and the simulation with the address and undefined-behaviour sanitizers
#   tsan   all tests with threads or processes, with the thread sanitizer
#   arm64  the unit tests, the conformance corpus and the golden trees, compiled for arm64, in an emulator
#   coverage  the unit tests with clang's source-based coverage: which share of each room, and which files, no test runs
#   fuzz   every fuzz target for ten seconds, from its seeds (./dev fuzz runs a target for longer)
#   e2e    real nodes in nspawn: systemd, cloud-init, containerd, kubelet and a control plane; one of them in a virtual machine
# Installs missing packages first. The last line counts the lanes: "N passed, M failed".
# shellcheck source=tools/dev/lib.sh
sample=(--most 1400 --seconds 110 --seed 1) words=()
case "${1:-}" in
  '') set -- style unit faults tsan e2e ;;
  faults | soak)
    # The remaining words belong to this lane, unless they are names of other lanes.
    sample=()
    if [[ $# -gt 1 && ! "$2" =~ ^[a-z0-9]+$ ]]; then
      words=("${@:2}")
      set -- "$1"
    fi
    ;;
  *) [[ " $* " != *" faults "* ]] || sample=() ;;
esac

lane_style() { ./dev lint --style; }
lane_lint() { ./dev lint; }
lane_unit() {
  need package
  ./dev build
  python3 tests/e2e/k8s.py helm >/dev/null || say "Helm cannot be compiled, so the tests of the chart will be skipped"
  build_preset release
  ctest --preset release -j 2 --no-tests=error
  python3 tools/figures.py build/release
}
lane_api() {
  need test
  ./dev build
  SUNUP=out/bin/sunup SUNUP_SOURCE_DIR=. python3 -B tests/server/properties.py
}
lane_asan() {
  need build test
  build_preset asan-ubsan
  ctest --preset asan-ubsan -j 2 --no-tests=error
}
lane_tsan() {
  need build test
  build_preset tsan threads_tests
  ctest --preset tsan -j 2 --no-tests=error -L threads -LE '^sim$'
}
lane_arm64() {
  local preset=''
  need package
  choose_arch test --arch arm64
  build_preset "$preset"
  ctest --preset "$preset" -j 2 --no-tests=error
}
lane_faults() {
  ./dev build
  build_preset release fault-inject
  python3 -B tests/faults/faults.py --program out/bin/aks-node-controller --injector build/release/tests/faults/fault-inject \
    "${sample[@]}" "${words[@]}"
}
lane_soak() {
  ready_for_nodes
  python3 tests/e2e/soak.py "${words[@]}"
}
lane_coverage() {
  need build test coverage
  build_preset coverage
  rm -rf build/coverage/profiles
  # Only the tests of the rooms: the programs end with _exit(), which writes no profile.
  local program wrong=0
  for program in build/coverage/*_test; do
    LLVM_PROFILE_FILE="$PWD/build/coverage/profiles/%m.profraw" RC_PARAMS=seed=1 "$program" --gtest_brief=1 || wrong=1
  done
  python3 tools/coverage.py build/coverage
  return $wrong
}
lane_fuzz() { ./dev fuzz --seconds 10; }
lane_e2e() {
  local wrong=0
  ./dev e2e || wrong=1
  ./dev e2e --vm golden || wrong=1
  return $wrong
}

passed=() failed=()
for lane in "$@"; do
  declare -F "lane_$lane" >/dev/null || die "no lane '$lane'; ./dev test --help lists them"
  say "test lane: $lane"
  started=$SECONDS
  # In a subshell, so that set -e applies inside and a failed lane does not hide the others.
  set +e
  (set -e; "lane_$lane")
  status=$?
  set -e
  if [ $status -eq 0 ]; then passed+=("$lane"); else failed+=("$lane"); fi
  say "test lane: $lane $([ $status -eq 0 ] && echo passed || echo FAILED) in $((SECONDS - started)) s"
done
[ ${#failed[@]} -eq 0 ] || say "failed lanes: ${failed[*]}"
echo "${#passed[@]} passed, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ]
