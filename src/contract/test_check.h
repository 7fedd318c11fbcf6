// Shared code of the tests of the check: checks a config and prints each finding on one line.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "contract/check.h"
#include "contract/test_config.h"

namespace sunup::contract {

inline std::vector<Finding> judged(const nlohmann::json& config) {
  const std::string text = config.dump(2);
  Details details;
  const auto loaded = load_text(text, "f", &details);
  EXPECT_TRUE(loaded.ok()) << (loaded ? "" : loaded.error().what);
  return loaded ? check(loaded->config, details.places, {.now = kNow}) : std::vector<Finding>();
}

inline std::vector<std::string> said(const nlohmann::json& config) {
  std::vector<std::string> out;
  for (const Finding& finding : judged(config))
    out.push_back(std::string(finding.severity == Severity::kError     ? "error "
                              : finding.severity == Severity::kWarning ? "warning "
                                                                       : "note ") +
                  finding.rule + " " + finding.path);
  return out;
}

// The good config with a change merged into it (null removes a field).
inline nlohmann::json with(const std::string& change) {
  nlohmann::json config = good_config();
  config.merge_patch(nlohmann::json::parse(change));
  return config;
}

struct Case {
  const char* change;
  const char* expected;
};

}  // namespace sunup::contract
