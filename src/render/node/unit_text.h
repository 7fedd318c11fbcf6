// Writes systemd units and drop-ins.
//
//   UnitText text;
//   text.section("Service").environment("KUBELET_CGROUP_FLAGS", "--cgroup-driver=systemd");
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace sunup::render::node {

class UnitText {
 public:
  UnitText& section(std::string_view name);
  UnitText& set(std::string_view key, std::string_view value);  // the value is written unmodified
  // Environment="NAME=value", escaped so that any value is preserved, including quotes, backslashes and '%'.
  UnitText& environment(std::string_view name, std::string_view value);

  std::string take() && { return std::move(out_); }

 private:
  std::string out_;
};

// The text between the double quotes of a word in a unit: backslash, quote and control characters are escaped.
std::string unit_quoted(std::string_view value);

}  // namespace sunup::render::node
