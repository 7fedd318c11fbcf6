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
  UnitText& set(std::string_view key, std::string_view value);  // value as given
  // Environment="NAME=value", escaped so that any value arrives as it is: quotes, backslashes and '%' included.
  UnitText& environment(std::string_view name, std::string_view value);

  std::string take() && { return std::move(out_); }

 private:
  std::string out_;
};

// What stands between the double quotes of a unit's word: backslash, quote and control characters escaped.
std::string unit_quoted(std::string_view value);

}  // namespace sunup::render::node
