#include "base/nearest.h"

#include <algorithm>

#include "base/text.h"

namespace sunup {
namespace {

size_t folded_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string folded_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    out += to_lower(c);
  }
  return out;
}

size_t name_distance(std::string_view left, std::string_view right) {
  return folded_distance(folded_name(left), folded_name(right));
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string_view>& known, size_t farthest) {
  if (name.empty() || name.size() > kLongestMisspelling) return std::nullopt;
  size_t best_distance = std::min(farthest, std::max<size_t>(1, name.size() / 3));
  std::optional<std::string> best;
  const std::string wanted = folded_name(name);
  for (const std::string_view candidate : known) {
    const std::string folded_candidate = folded_name(candidate);
    const size_t longer = std::max(wanted.size(), folded_candidate.size());
    if (longer - std::min(wanted.size(), folded_candidate.size()) > best_distance) continue;
    const size_t distance = folded_distance(wanted, folded_candidate);
    if (distance < best_distance || (distance == best_distance && !best)) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace sunup
