// For tests: a run of any size.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "timeline/build.h"

namespace sunup::timeline {

// A run of `count` steps, each needing the one before and the one ten before it.
inline Timeline made(int count, const std::string& text = "not done before") {
  nlohmann::json head{{"sunup", "run record"},
                      {"v", 1},
                      {"boot", "b0"},
                      {"t", 1'000'000'000},
                      {"wall", 1'794'769'175'000'000'000},
                      {"version", "1"},
                      {"mode", "native"}};
  std::string record = head.dump() + "\n";
  const auto line = [&record](nlohmann::json object) { record += object.dump() + "\n"; };
  for (int i = 0; i < count; ++i) {
    nlohmann::json needs = nlohmann::json::array();
    if (i > 0) needs.push_back("step" + std::to_string(i - 1));
    if (i > 9) needs.push_back("step" + std::to_string(i - 10));
    line({{"t", 1'000'000'000}, {"e", "declared"}, {"step", "step" + std::to_string(i)}, {"needs", needs}});
  }
  for (int64_t i = 0; i < count; ++i) {
    const std::string name = "step" + std::to_string(i);
    const int64_t at = 1'000'000'000 + i * 1'000'000;
    line({{"t", at}, {"e", "started"}, {"step", name}, {"attempt", 1}, {"text", text}});
    if (i % 100 == 7)
      line({{"t", at + 1000},
            {"e", "retry"},
            {"step", name},
            {"attempt", 1},
            {"text", "again in 1ms"},
            {"error", text}});
    line({{"t", at + 900'000}, {"e", "ended"}, {"step", name}, {"attempt", 1}});
  }
  line({{"t", 1'000'000'000 + int64_t{count} * 1'000'000}, {"e", "run ended"}});
  Sources sources;
  sources.run_record = record;
  auto built = build(sources);
  EXPECT_TRUE(built.ok());
  return std::move(*built);
}

}  // namespace sunup::timeline
