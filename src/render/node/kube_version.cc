#include "render/node/kube_version.h"

#include <array>

#include "base/text.h"

namespace sunup::render::node {
namespace {

bool is_digit(char c) {
  return is_digit(c);
}

// Takes the run of digits (leading zeros dropped) off the front.
std::string_view take_number(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

}  // namespace

bool kube_at_least(std::string_view version, int major, int minor, int patch) {
  version = version.substr(0, version.find_first_of("+~-"));
  if (version.starts_with('v')) version.remove_prefix(1);
  std::array<long, 3> parts{};
  for (size_t i = 0; i < parts.size() && !version.empty(); ++i) {
    const std::string_view digits = take_number(version);
    if (digits.empty() || digits.size() > 9) return false;
    for (const char c : digits) parts[i] = parts[i] * 10 + (c - '0');
    if (!version.empty() && version.front() != '.') return false;
    if (!version.empty()) version.remove_prefix(1);
  }
  return parts >= std::array<long, 3>{major, minor, patch};
}

std::strong_ordering natural_order(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view left = take_number(a);
      const std::string_view right = take_number(b);
      if (left.size() != right.size()) return left.size() <=> right.size();
      if (const int order = left.compare(right); order != 0) return order <=> 0;
    } else {
      if (a.front() != b.front()) return a.front() <=> b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() <=> b.size();
}

}  // namespace sunup::render::node
