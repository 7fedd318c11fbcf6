// For tests: one line per event, with times relative to the first one. `./dev sim --seed` prints this format, and tests
// compare it byte by byte.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "engine/observer.h"

namespace sunup::engine {

class TextTrace : public Observer {
 public:
  void on(const Event& event) override {
    if (!std::exchange(any_, true)) start_ = event.at;
    const auto out = std::back_inserter(text_);
    const double ms = std::chrono::duration<double, std::milli>(event.at - start_).count();
    fmt::format_to(out, "{:12.3f} {:<11}", ms, to_string(event.kind));
    if (!event.step.empty()) fmt::format_to(out, " {}", event.step);
    if (event.attempt > 1) fmt::format_to(out, " #{}", event.attempt);
    if (!event.text.empty()) fmt::format_to(out, " - {}", event.text);
    if (event.error != nullptr) fmt::format_to(out, " ! {}", event.error->what);
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool any_ = false;
  host::TimePoint start_{};
};

}  // namespace sunup::engine
