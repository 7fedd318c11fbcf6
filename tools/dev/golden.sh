#!/usr/bin/env bash
# compare the files of the recorded nodes: ./dev golden [--update]
# Renders every case in tests/golden/cases and compares the files with the recorded ones. --update records the cases again;
# review the difference line by line before you commit it (docs/golden-cases.md).
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
