#!/usr/bin/env bash
# files a node gets, case by case: ./dev golden [--update]
# Compares every folder of tests/golden/cases with what its config gives today. --update records the cases anew; the
# difference is then for you to read, line by line, before it is committed (docs/golden-cases.md).
# shellcheck source=tools/dev/lib.sh
need build test
build_preset dev golden_test aks-node-controller
export AKS_NODE_CONTROLLER=build/dev/apps/aks-node-controller
if [ "${1:-}" = --update ]; then
  SUNUP_GOLDEN_UPDATE=1 build/dev/tests/golden/golden_test --gtest_brief=1 || die "a case could not be rendered"
  SUNUP_GOLDEN_UPDATE=1 python3 -B tests/golden/rooted_test.py || die "a case could not be provisioned"
  git status --short tests/golden/cases
else
  build/dev/tests/golden/golden_test --gtest_brief=1
  python3 -B tests/golden/rooted_test.py
fi
