// docs/steps.md, made from the catalogue so that it cannot rot: every step of ours, and for every step of the original
// who does its work, or why nobody has to.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sunup::plan {

struct Elsewhere {
  std::string_view id;
  std::string_view what;
  std::string_view why;  // it is not a step here
};

// The original's steps that no step of the catalogue names.
std::span<const Elsewhere> done_elsewhere();

// "P0" ... "F7", in the original's order.
std::span<const std::string_view> original_steps();

std::string steps_markdown();

}  // namespace sunup::plan
