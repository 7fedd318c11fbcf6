#include "contract/finding.h"

#include <algorithm>
#include <tuple>

namespace sunup::contract {

void sort_by_place(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
  });
}

}  // namespace sunup::contract
